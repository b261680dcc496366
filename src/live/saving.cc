// SPDX-License-Identifier: BSD-3-Clause
// saving.cc - writing the lines of a recording

#include "live/saving.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/message.hpp"
#include "base/writing.hpp"
#include "formats/json_writer.hpp"
#include "formats/tags.hpp"

namespace cairn::live {

namespace {

std::string first_line(double interval_s) {
  return "{\"format\": \"" + formats::recording_tag.text() + "\", \"interval_s\": " + formats::json_number(interval_s) +
         "}\n";
}

}  // namespace

Saving::Saving(const std::string& path, double interval_s, std::uint64_t most_bytes)
    : path_(path),
      file_(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600)),
      most_bytes_(most_bytes) {
  if (file_ < 0 && errno == EEXIST) throw Problem("'" + path + "' already exists", "another name, or remove it first");
  if (file_ < 0) throw Problem("'" + path + "' cannot be made: " + std::strerror(errno), remedy_for_file(errno));
  write_line(first_line(interval_s));
}

Saving::~Saving() { stop(); }

void Saving::stop() {
  if (file_ >= 0) close(std::exchange(file_, -1));
}

void Saving::write_line(const std::string& line) {
  const bool fits = size_ + line.size() <= most_bytes_;
  const ssize_t written = fits ? write(file_, line.data(), line.size()) : -1;
  const int error = written < 0 ? errno : ENOSPC;
  if (written == static_cast<ssize_t>(line.size())) {
    size_ += line.size();
    return;
  }
  if (written > 0 && ftruncate(file_, static_cast<off_t>(size_)) != 0) errno = 0;  // the reader leaves the line out
  tell(Severity::warning,
       "recording '" + path_ + "' ends here: " + (fits ? std::strerror(error) : "it would exceed 256 MiB"), {},
       fits ? remedy_for_file(error) : "fewer looks: --every");
  stop();
}

void Saving::add(const Watched& watched) {
  if (file_ < 0 || !watched.has_job()) return;
  const bool is_last = watched.is_over();
  write_line(watched.recording_line(saved_));
  if (is_last) stop();
}

}  // namespace cairn::live
