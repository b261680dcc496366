// SPDX-License-Identifier: BSD-3-Clause
// line.cc - a job in one line of JSON, and where it goes

#include "line.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "cairn/kit/held_signals.hpp"
#include "cairn/kit/result_file.hpp"
#include "formats/json_writer.hpp"
#include "formats/text.hpp"

namespace usage {

namespace {

std::string utc_now() {
  const time_t now = time(nullptr);
  struct tm parts {};
  std::array<char, 32> text{};
  gmtime_r(&now, &parts);
  strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::string host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// As the batch system has it; "" without one.
std::string number_of_job() {
  for (const char* const name : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "JOB_ID"})
    if (const char* const number = std::getenv(name); number != nullptr && *number != '\0') return number;
  return "";
}

/// What a name may take of the line.
std::string cut(std::string_view text) { return std::string(text.substr(0, 200)); }

int send_to(const std::string& path, const std::string& line) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return ENAMETOOLONG;
  path.copy(address.sun_path, path.size());
  const int channel = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (channel < 0) return errno;
  constexpr int user_information = 14;  // facility 1, severity 6
  const std::string message = "<" + std::to_string(user_information) + ">cairn-usage: " + line;
  const ssize_t sent = sendto(channel, message.data(), message.size(), MSG_NOSIGNAL,
                              reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int error = sent < 0 ? errno : 0;
  close(channel);
  return error;
}

int append_to(const std::string& path, const std::string& line) {
  constexpr int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  // With O_CREAT Linux refuses files of others in sticky folders that all may write to (fs.protected_regular).
  int file = open(path.c_str(), flags);
  if (file < 0 && errno == ENOENT) file = open(path.c_str(), flags | O_CREAT, 0644);
  if (file < 0) return errno;
  const int error = cairn::append(file, line + "\n");  // half a line would spoil the next job's
  close(file);
  return error;
}

}  // namespace

std::string short_name(std::string_view library) {
  const std::size_t digit = std::min(library.find_first_of("0123456789"), library.size());
  std::string_view name = library.substr(0, digit);
  name = name.substr(0, std::min(name.find(" Version"), name.find_last_not_of("v ") + 1));
  const std::string_view version = library.substr(digit);
  return std::string(name) + " " + std::string(version.substr(0, version.find_first_of(", \t\n")));
}

std::string line_of(Job job) {
  std::ranges::sort(job.calls, [](const auto& a, const auto& b) { return a.second > b.second; });
  const std::size_t shown = std::min(job.calls.size(), most_functions);
  std::uint64_t others = 0;
  for (std::size_t i = shown; i < job.calls.size(); ++i) others += job.calls[i].second;
  cairn::formats::JsonWriter json(0);
  json.on_one_line([&] {
    json.object([&] {
      json("format", "cairn-usage 1");
      json("ended", utc_now());
      json("uid", static_cast<std::uint64_t>(getuid()));
      json("host", cut(host()));
      if (const std::string number = number_of_job(); !number.empty()) json("job", cut(number));
      json("program", cut(cairn::formats::file_of(job.program)));
      json("mpi", cut(job.mpi));
      json("ranks", job.ranks);
      if (job.counted_ranks != job.ranks) json("counted_ranks", job.counted_ranks);
      json("run_s", std::round(1000 * job.run_s) / 1000);
      json.object("calls", [&] {
        for (std::size_t i = 0; i < shown; ++i) json(job.calls[i].first, job.calls[i].second);
      });
      if (others != 0) json("other_calls", others);
    });
  });
  std::string line = json.take();
  while (!line.empty() && line.back() == '\n') line.pop_back();
  return line;
}

int deliver(const std::string& path, const std::string& line) {
  const cairn::HeldSignals held;
  struct stat about {};
  const bool is_socket = stat(path.c_str(), &about) == 0 && S_ISSOCK(about.st_mode);
  return is_socket ? send_to(path, line) : append_to(path, line);
}

}  // namespace usage
