// SPDX-License-Identifier: BSD-3-Clause
// dead_pages.cc - moving the pages of the dead into their runs' folders, where other nodes may be doing the same

#include "where/dead_pages.hpp"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "base/file_bytes.hpp"
#include "base/message.hpp"
#include "base/processes.hpp"
#include "base/text.hpp"
#include "cairn/board.hpp"
#include "cairn/kit/result_file.hpp"
#include "formats/run.hpp"
#include "where/jobs.hpp"

namespace cairn::where {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t stays_days = 7;
constexpr std::int64_t stays_s = stays_days * 24 * 3600;

enum class Outcome { moved, no_folder, failed };

// ------------------------------------------------------------ the folder

/// Whether the folder is that of the run.
bool belongs_to(const fs::path& folder, const std::string& run) {
  const std::string text = whole_file((folder / "run.json").string()).value_or("");
  return text.find('"' + run + '"') != text.npos;
}

/// The folder alone, not those above it.
bool make_folder(const fs::path& folder, std::error_code& error) {
  fs::create_directory(folder, error);
  if (error == std::errc::file_exists) error = std::make_error_code(std::errc::not_a_directory);
  return !error;
}

/// A file with a name that no other has yet; "": there can be none.
std::string make_file_in(const fs::path& folder, std::error_code& error) {
  std::string path = (folder / ".page-XXXXXX").string();
  const int file = mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) error.assign(errno, std::generic_category());
  else close(file);
  return file < 0 ? "" : path;
}

/// Unless another file has the name: EEXIST.
bool give_name(const std::string& file, const fs::path& name) {
  if (link(file.c_str(), name.c_str()) == 0) return true;
  if (errno == EEXIST || fs::exists(name)) {
    errno = EEXIST;
    return false;
  }
  return std::rename(file.c_str(), name.c_str()) == 0;  // a file system without links
}

/// Several may come at once: who is the first to put run.json there has the folder.
bool claim(const fs::path& folder, const Process& process, std::error_code& error) {
  if (!make_folder(folder, error)) return false;
  formats::run::Summary run;
  run.identity = process.run;
  run.program = process.program;
  run.host = process.host;
  run.mpi = process.mpi;
  const std::string own = make_file_in(folder, error);
  if (own.empty()) return false;
  const fs::path file = folder / "run.json";
  const bool is_written = write_file(own, formats::run::file_text(run));
  if (!is_written || (!give_name(own, file) && errno != EEXIST)) error.assign(errno, std::generic_category());
  unlink(own.c_str());
  return !error && belongs_to(folder, process.run);
}

/// The run's folder, or, if another run has that now, one of its own in there. A run that has written nothing has none
/// yet, unless the user has chosen one. Empty: somebody has removed it, or, with an error, it cannot be made.
fs::path folder_of_run(const Process& process, bool has_folder, std::error_code& error) {
  fs::path folder = process.folder;
  fs::path within = folder / ("run-" + std::string(file_of(process.run)));
  for (const fs::path& one : {folder, within})
    if (belongs_to(one, process.run)) return one;
  if (has_folder) return {};
  if (claim(folder, process, error)) return folder;
  if (!error && claim(within, process, error)) return within;
  if (!error) error = std::make_error_code(std::errc::file_exists);
  return {};
}

// ------------------------------------------------------------ the files

bool is_same(const std::string& one, const fs::path& other) {
  const std::optional<std::string> text = whole_file(one);
  return text && text == whole_file(other.string());
}

/// A name for the copy that no other page has there, "node7-12-345.page", or "node7-12-345-2.page"; that of an earlier
/// copy of the same.
fs::path name_copy(const std::string& copy, const fs::path& wanted, std::error_code& error) {
  constexpr int most = 10000;
  for (int i = 1; i < most; ++i) {
    fs::path name = wanted;
    if (i > 1) name.replace_filename(wanted.stem().string() + "-" + std::to_string(i) + wanted.extension().string());
    if (give_name(copy, name)) return name;
    if (errno != EEXIST) break;
    if (is_same(copy, name)) return name;
  }
  error.assign(errno, std::generic_category());
  return {};
}

/// Without a name of its own yet. Whole, or "" and an error.
std::string copy_into(const fs::path& folder, const fs::path& from, std::error_code& error) {
  std::string copy = make_file_in(folder, error);
  if (copy.empty()) return copy;
  fs::copy_file(from, copy, fs::copy_options::overwrite_existing, error);
  if (!error) return copy;
  unlink(copy.c_str());
  return "";
}

fs::path copy_page(const fs::path& from, const fs::path& wanted, std::error_code& error) {
  const std::string copy = copy_into(wanted.parent_path(), from, error);
  if (copy.empty()) return {};
  fs::path name = name_copy(copy, wanted, error);
  unlink(copy.c_str());
  return name;
}

/// Beside a page that is this process's own.
void copy_board(const fs::path& from, const fs::path& to, std::error_code& error) {
  std::error_code none;
  if (!fs::exists(from, none)) return;
  const std::string copy = copy_into(to.parent_path(), from, error);
  if (copy.empty()) return;
  fs::rename(copy, to, error);
  if (error) unlink(copy.c_str());
}

/// Where the page is then; with an error if that is not all.
std::string copy_all(const Process& process, const fs::path& pages, std::error_code& error) {
  if (!make_folder(pages, error)) return "";
  const std::string name = std::string(file_of(process.host)) + "-" + std::string(file_of(process.path));
  std::string page = copy_page(process.path, pages / name, error).string();
  for (const std::string_view ending : board::all)
    if (!error) copy_board(board::beside(process.path, ending), board::beside(page, ending), error);
  return page;
}

/// A run that starts may take the folder, with what is in it, into another one meanwhile: then once more.
Outcome move(const Process& process, bool has_folder, std::error_code& error) {
  if (process.run.empty() || process.folder.empty()) return Outcome::no_folder;  // it died before it had one
  for (int tries = 0; tries < 3; ++tries) {
    error.clear();
    const fs::path folder = folder_of_run(process, has_folder, error);
    if (folder.empty()) return error ? Outcome::failed : Outcome::no_folder;
    const std::string page = copy_all(process, folder / "pages", error);
    if (belongs_to(folder, process.run)) return error ? Outcome::failed : Outcome::moved;
    if (!page.empty()) board::remove_with_page(page);
  }
  error = std::make_error_code(std::errc::device_or_resource_busy);
  return Outcome::failed;
}

// ------------------------------------------------------------ the job

/// The run's own file beside its pages.
class Marks {
 public:
  explicit Marks(const JobPages& job) {
    if (job.name.find('/') != job.name.npos) return;
    path_ = page::run_file(job.name);
    const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return;
    if (pread(file, static_cast<void*>(&marks_), sizeof marks_, 0) < 0) errno = 0;  // nothing is known
    close(file);
  }
  bool has_folder() const { return marks_.has_folder != 0; }
  std::int64_t stays_since() const { return marks_.stays_since; }
  /// Whether it could be written down.
  bool stay_from(std::int64_t now) const {
    const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return false;
    const bool is_written = pwrite(file, &now, sizeof now, offsetof(page::RunFile, stays_since)) == sizeof now;
    close(file);
    return is_written;
  }
  void remove() const {
    if (!path_.empty()) unlink(path_.c_str());
  }

 private:
  std::string path_;
  page::RunFile marks_{};
};

void tell_what_stays(const JobPages& job, const std::error_code& why) {
  tell(Severity::warning,
       "what ranks of an earlier run recorded before they died cannot be moved to '" + job.folder() +
           "': " + std::strerror(why.value()),
       {}, "'cairn where " + job.name + "', which shows it; it is removed in " + std::to_string(stays_days) + " days");
}

/// What cannot be moved stays where it is, but not for ever. Whether anything does.
bool leaves_some(const JobPages& job, const Marks& marks) {
  std::error_code why;
  for (const Process& process : job.processes) {
    std::error_code error;
    if (move(process, marks.has_folder(), error) == Outcome::failed) why = error;
    else board::remove_with_page(process.path);
  }
  if (!why) return false;
  const std::int64_t now = std::time(nullptr);
  if (marks.stays_since() == 0) {
    if (marks.stay_from(now)) tell_what_stays(job, why);
  } else if (now - marks.stays_since() > stays_s) {
    std::ranges::for_each(job.processes, board::remove_with_page, &Process::path);
    return false;
  }
  return true;
}

/// Of the jobs that are still there, several may be of one launcher's job, whose watch file they share.
void clear(const JobPages& job, const std::vector<JobPages>& jobs, const std::string& folder) {
  const Marks marks(job);
  if (leaves_some(job, marks)) return;
  marks.remove();
  const std::string& launched = job.processes.front().job;
  const auto is_watched = [&](const JobPages& other) {
    return !other.is_over_here() &&
           std::ranges::find(other.processes, launched, &Process::job) != other.processes.end();
  };
  if (std::ranges::none_of(jobs, is_watched)) unlink((folder + "/" + page::watch_name(launched)).c_str());
}

bool is_made_of(std::string_view text, std::string_view letters) {
  return !text.empty() && text.find_first_not_of(letters) == text.npos;
}

bool is_number(std::string_view text) { return is_made_of(text, "0123456789"); }

/// As the files of a process are named, but for the ending: "12-345", its id and when it started.
bool is_of_process(std::string_view name) {
  const auto process = split(name, '-');
  return process.size() == 2 && std::ranges::all_of(process, is_number);
}

/// Whether a run has made it beside its pages: the folder may be any of the user's ($CAIRN_PAGES).
bool is_beside_pages(const fs::directory_entry& entry) {
  std::error_code error;
  if (!entry.is_regular_file(error) || entry.is_symlink(error)) return false;
  const std::string name = entry.path().stem().string();
  const std::string ending = entry.path().extension().string();
  if (ending == ".watch") return is_number(name);
  if (ending == ".run")
    return name.size() == 16 && is_made_of(name, "0123456789abcdef") && entry.file_size(error) == sizeof(page::RunFile);
  return std::ranges::find(board::all, ending) != std::end(board::all) && is_of_process(name);
}

/// As far as can be seen from here: it may have process numbers of its own.
bool has_ended(const fs::path& page) {
  const long long pid = std::strtoll(page.stem().c_str(), nullptr, 10);
  return pid > 0 && pid <= std::numeric_limits<pid_t>::max() && kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
}

/// A page that was not begun before its process was killed, or one of another version that nobody has moved. A process
/// makes a page with a size at once.
bool is_of_no_use(const fs::path& page) {
  constexpr std::int64_t begins_within_s = 60;
  constexpr std::int64_t unread_stays_s = 60 * std::int64_t{24} * 3600;  // longer than jobs run
  struct stat file {};
  if (!is_of_process(page.stem().string()) || lstat(page.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) return false;
  const std::int64_t age_s = std::time(nullptr) - file.st_mtime;
  return file.st_size == 0 ? age_s > begins_within_s : age_s > unread_stays_s && has_ended(page);
}

/// Whether all pages that are left could be read.
bool remove_unreadable(const std::vector<std::string>& pages, const std::vector<JobPages>& jobs) {
  std::set<std::string> read;
  for (const JobPages& job : jobs)
    for (const Process& process : job.processes) read.insert(process.path);
  bool are_all_read = true;
  for (const std::string& page : pages) {
    if (read.contains(page)) continue;
    if (is_of_no_use(page)) board::remove_with_page(page);
    else are_all_read = false;
  }
  return are_all_read;
}

std::vector<fs::path> files_beside_pages(const std::string& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (is_beside_pages(entry)) files.push_back(entry.path());
  return files;
}

/// As a process that is killed while it removes its files may leave it. `jobs` have been read after `files`: a file that
/// is needed has its page among them.
void remove_what_has_no_page(const std::vector<fs::path>& files, const std::vector<JobPages>& jobs) {
  std::set<std::string> known;
  for (const JobPages& job : jobs)
    for (const Process& process : job.processes) {
      known.insert(page::run_name(process.run));
      known.insert(page::watch_name(process.job));
      for (const std::string_view ending : board::all)
        known.insert(std::string(file_of(board::beside(process.path, ending))));
    }
  for (const fs::path& file : files)
    if (!known.contains(file.filename().string())) unlink(file.c_str());
}

/// Of another process that does the same, until this one is done.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder) : folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    is_held_ = folder_ >= 0 && flock(folder_, LOCK_EX | LOCK_NB) == 0;
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() {
    if (folder_ >= 0) close(folder_);
  }
  bool is_held() const { return is_held_; }

 private:
  int folder_;
  bool is_held_ = false;
};

}  // namespace

void clear_dead_jobs() try {
  const std::string folder = page::folder();
  if (!is_private_folder(folder)) return;
  const FolderLock lock(folder);
  if (!lock.is_held()) return;
  const std::vector<fs::path> files = files_beside_pages(folder);
  const std::optional<std::vector<std::string>> pages = list_pages(folder);
  if (!pages) return;
  std::vector<std::string> damaged;
  const std::vector<JobPages> jobs = read_jobs(*pages, damaged, 0);
  for (const JobPages& job : jobs)
    if (job.is_over_here()) clear(job, jobs, folder);
  if (remove_unreadable(*pages, jobs)) remove_what_has_no_page(files, jobs);
} catch (const std::exception&) {  // the program is to run all the same
}

}  // namespace cairn::where
