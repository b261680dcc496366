// SPDX-License-Identifier: BSD-3-Clause
// site.cc - looking at a request before it is answered

#include "live/site.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "base/message.hpp"

namespace cairn::live {

namespace {

Answer refuse(int status, const std::string& why) {
  return {status, "text/plain; charset=utf-8", "cairn live: " + why + "\n"};
}

Answer refuse_method(const std::string& why, const char* allowed) {
  Answer answer = refuse(405, why);
  answer.allow = allowed;
  return answer;
}

/// By its name: a tunnel may lead here from another port.
bool is_loopback(std::string_view host) {
  const std::size_t bracket = host.find(']');
  const std::size_t colon = host.find(':', bracket == host.npos ? 0 : bracket);
  host = host.substr(0, colon);
  return host == "127.0.0.1" || host == "localhost" || host == "[::1]";
}

constexpr std::size_t token_length = 32;

bool is_token(std::string_view text) {
  return text.size() >= token_length && text.size() <= 256 && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
         });
}

}  // namespace

/// In a time that tells nothing of how much of it is right.
bool Site::knows_token(const Request& request) const {
  const std::string wanted = "Bearer " + token_;
  const std::string_view given = request.authorization;
  if (given.size() != wanted.size()) return false;
  unsigned differing = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) differing |= static_cast<unsigned char>(given[i] ^ wanted[i]);
  return differing == 0;
}

namespace {

/// 0 if there is none; false: it is no number.
bool read_number(const std::string& text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return text.empty() || (error == std::errc() && *end == '\0');
}

/// What has come after the number that the request names.
Answer news(const Request& request, const std::function<std::string(std::uint64_t after)>& json) {
  std::uint64_t after = 0;
  if (!read_number(request.after, after)) return refuse(400, "'after' is not a number");
  return {200, "application/json", json(after)};
}

Answer series(const Watched& watched, const Request& request) {
  std::uint64_t variable = 0;
  if (!read_number(request.variable, variable)) return refuse(400, "'variable' is not a number");
  return news(request, [&](std::uint64_t after) { return watched.series_json(variable, after); });
}

Answer metrics(const Watched& watched) {
  return {200, "application/openmetrics-text; version=1.0.0; charset=utf-8", watched.open_metrics()};
}

}  // namespace

namespace {

/// order(request) does it, or says why not.
std::function<Answer(const Request&)> changing(bool may_set, std::function<std::string(const Request&)> order) {
  return [may_set, order = std::move(order)](const Request& request) {
    if (!may_set) return refuse(403, "nothing can be set: it was started with --read-only");
    const std::string why = order(request);
    return why.empty() ? Answer{200, "text/plain; charset=utf-8", ""} : refuse(400, why);
  };
}

}  // namespace

JobAnswers answers_about(Watched& watched, bool may_set, PolicyCheck check) {
  const auto set = [&watched](const Request& request) {
    return watched.order(request.variable, request.value, request.ranks);
  };
  const auto give_policy = [&watched, check = std::move(check)](const Request& request) {
    const std::string name = request.value.empty() ? "from the page" : request.value;
    const std::string wrong = check(name, request.body);
    return wrong.empty() ? watched.give_policy(name, request.body) : wrong;
  };
  const auto state = [&watched](std::uint64_t after) { return watched.state_json(after); };
  const auto matrix = [&watched](std::uint64_t after) { return watched.matrix_json(after); };
  const auto variables = [&watched](std::uint64_t after) { return watched.variables_json(after); };
  return {{set_path, changing(may_set, set)},
          {policy_path, changing(may_set, give_policy)},
          {"/api/controls",
           [&watched](const Request&) {
             return Answer{200, "application/json", watched.controls_json()};
           }},
          {"/api/variables", [variables](const Request& request) { return news(request, variables); }},
          {"/api/series", [&watched](const Request& request) { return series(watched, request); }},
          {"/api/state", [state](const Request& request) { return news(request, state); }},
          {"/api/matrix", [matrix](const Request& request) { return news(request, matrix); }},
          {"/metrics", [&watched](const Request&) { return metrics(watched); }}};
}

JobAnswers answers_about(const std::string& looks) {
  return {{"/api/state",
           [](const Request&) {
             return Answer{200, "application/json", "{\"is_recording\":true}\n"};
           }},
          {"/api/recording", [&looks](const Request&) {
             return Answer{200, "application/json", looks};
           }}};
}

Answer Site::answer(const Request& request) const {
  if (!is_loopback(request.host)) return refuse(403, "the name of this host is not 'localhost'");
  if (!request.origin.empty() && request.origin != "http://" + request.host)
    return refuse(403, "requested by a page of another site");
  const bool reads = request.method == "GET" || request.method == "HEAD";
  const bool changes = request.path == set_path || request.path == policy_path;
  if (changes && request.method != "POST") return refuse_method("this changes the job: it takes POST", "POST");
  if (!changes && !reads) return refuse_method("nothing can be changed here", "GET, HEAD");
  if (const auto found = job_.find(request.path); found != job_.end()) {
    if (knows_token(request)) return found->second(request);
    return refuse(401, "the token is missing or wrong: it is in the address that 'cairn live' printed");
  }
  for (const Asset& asset : assets_)
    if (request.path == asset.path) return {200, asset.type, std::string(asset.text)};
  return refuse(404, "there is no such page");
}

std::string new_token() {
  std::array<unsigned char, token_length / 2> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Problem(std::string("no random numbers for a token: ") + std::strerror(errno));
  std::string text;
  for (const unsigned char byte : bytes)
    for (const unsigned shift : {4U, 0U}) text += "0123456789abcdef"[byte >> shift & 15U];
  return text;
}

namespace {

/// Empty, unless it has just been made.
std::string made_token(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return "";
  std::string token = new_token();
  const std::string line = token + "\n";
  const bool is_written = write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const int error = errno;
  close(file);
  if (is_written) return token;
  unlink(path.c_str());
  throw Problem("'" + path + "' cannot be written: " + std::strerror(error));
}

}  // namespace

std::string token_in(const std::string& path) {
  if (std::string made = made_token(path); !made.empty()) return made;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) throw Problem("'" + path + "' cannot be read: " + std::strerror(errno));
  struct stat about {};
  std::array<char, 512> text{};
  const bool is_private = fstat(file, &about) == 0 && (about.st_mode & 077U) == 0;
  const ssize_t size = read(file, text.data(), text.size() - 1);
  close(file);
  if (!is_private) throw Problem("'" + path + "' can be read by others", "chmod 600 " + path);
  const std::string_view word = std::string_view(text.data()).substr(0, std::strcspn(text.data(), " \t\r\n"));
  if (size < 0 || !is_token(word))
    throw Problem("'" + path + "' contains no token of 32 or more letters and digits",
                  "another file: 'cairn live' creates it");
  return std::string(word);
}

}  // namespace cairn::live
