// SPDX-License-Identifier: BSD-3-Clause
// run_folder.cc - naming and making the run's folder, and whose a folder is.

#include "runtime/run_folder.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "base/job.hpp"
#include "base/message.hpp"
#include "base/processes.hpp"
#include "base/text.hpp"
#include "base/writing.hpp"
#include "cairn/kit/result_file.hpp"
#include "cairn/page.hpp"
#include "runtime/loss.hpp"
#include "runtime/run_json.hpp"

namespace cairn {

namespace {

std::string time_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[64];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
  return text;
}

/// 16 digits that no other run has.
std::string new_identity() {
  unsigned long long number = 0;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    number = static_cast<unsigned long long>(now.tv_sec) << 32U ^ static_cast<unsigned long long>(now.tv_nsec) << 16U ^
             static_cast<unsigned long long>(getpid());
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", number);
  return text;
}

std::string current_folder() {
  std::error_code ignored;
  return std::filesystem::current_path(ignored).string();
}

[[noreturn]] void fail(int error) { throw std::system_error(error, std::generic_category()); }

/// As with mkdir -p.
void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path, error)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) fail(error.value());
}

bool is_there(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

void write(const std::string& path, const std::string& text) {
  if (!write_file(path, text)) fail(errno);
}

/// Where ranks of the run record their calls: what they leave is moved into the folder, but not if somebody has removed it.
void tell_recorders(const std::string& identity) {
  if (!is_private_folder(page::folder())) return;
  const int file = open(page::run_file(identity).c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return;
  const std::uint32_t made = 1;
  if (pwrite(file, &made, sizeof made, offsetof(page::RunFile, has_folder)) < 0) errno = 0;  // it is made again then
  close(file);
}

/// Takes away the folder or file that has been begun there if it does not come to its name. Without opening anything:
/// there may be too many open files.
class Beside {
 public:
  explicit Beside(std::string path) : path_(std::move(path)) {}
  ~Beside() {
    for (const char* const file : {"/run.json", "/report.txt", ""}) std::remove((path_ + file).c_str());
  }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// A tool's files and folders have its name and, after a dot, what tells them apart; those of spawned processes do not.
bool is_result(const std::string& name, const std::vector<std::string>& tools) {
  constexpr std::string_view own[] = {"run.json", "report.txt", "pages", "report.html", "placement.svg"};
  if (std::ranges::find(own, name) != std::end(own) || name.starts_with("spawned-")) return true;
  for (const std::string& tool : tools) {
    std::string stem(file_of(tool));
    if (stem.ends_with(".so")) stem.resize(stem.size() - 3);
    if (name == stem || name.starts_with(stem + ".")) return true;
  }
  return false;
}

/// Of several runs that find the folder of one that is over, the first to link its run.json moves what that one has left.
/// The others wait until it has.
bool is_to_move(const std::string& from, const std::string& to, const std::string& identity) {
  constexpr int most_waited = 200;  // 2 s: then the first one has died
  if (link(from.c_str(), to.c_str()) == 0) return true;
  if (errno != EEXIST) return errno != ENOENT;  // a file system without links; or it has been moved
  for (int i = 0; i < most_waited; ++i) {
    const auto owner = read_run_json(from);
    if (!owner || owner->identity != identity) return false;
    usleep(10'000);
  }
  return true;
}

void move_to(const std::filesystem::path& folder, const std::filesystem::path& result) {
  std::error_code there_already;
  std::filesystem::rename(result, folder / result.filename(), there_already);
  if (there_already) std::filesystem::remove_all(result, there_already);
}

/// What an earlier run has left goes into a folder of its own, so that nobody takes it for this run's. Its run.json last:
/// until then the folder is nobody else's.
void move_away(const std::string& path, const RunOwner& owner) {
  const std::string to = path + "/run-" + (owner.identity.empty() ? "earlier" : owner.identity);
  const std::string run_json = path + "/run.json";
  const std::string its_place = to + "/run.json";
  make_folder(to);
  if (!is_to_move(run_json, its_place, owner.identity)) return;
  std::vector<std::filesystem::path> results;
  for (const auto& entry : std::filesystem::directory_iterator(path))
    if (const std::string name = entry.path().filename().string(); name != "run.json" && is_result(name, owner.tools))
      results.push_back(entry.path());
  for (const std::filesystem::path& result : results) move_to(to, result);
  std::error_code ignored;
  if (std::filesystem::equivalent(run_json, its_place, ignored)) std::filesystem::remove(run_json, ignored);
  else move_to(to, run_json);
}

}  // namespace

RunFolder::RunFolder(const std::string& wanted, const std::string& asked_by, RunFacts facts)
    : identity_(new_identity()), chosen_by_user_(!wanted.empty()), asked_by_(asked_by), facts_(std::move(facts)) {
  path_ = chosen_by_user_ ? wanted : "cairn-" + std::string(file_of(facts_.program)) + "-" + time_text();
  if (const std::string here = current_folder(); path_.front() != '/' && !here.empty()) path_ = here + "/" + path_;
  first_path_ = path_;
}

/// NAME, NAME-2, NAME-3, …
std::string RunFolder::place(int number) const {
  return number == 1 ? first_path_ : first_path_ + "-" + std::to_string(number);
}

RunFolder::Owner RunFolder::owner_of(const std::string& path) const {
  const auto owner = read_run_json(path + "/run.json");
  if (!owner) return Owner::nobody;
  return owner->identity == identity_ ? Owner::we : Owner::another;
}

/// What a run starts with; in a folder that no other process uses yet.
void RunFolder::begin(const std::string& path) const {
  write(path + "/report.txt", "");  // tools add their parts to it
  write(path + "/run.json", run_json(identity_, facts_, agreed_));
}

/// Several ranks may come at once, and other runs: who is the first to put run.json there has the folder.
RunFolder::Owner RunFolder::claim(const std::string& path) {
  if (const Owner owner = owner_of(path); owner != Owner::nobody) return owner;
  if (const std::string above = std::filesystem::path(path).parent_path().string(); !above.empty()) make_folder(above);
  const std::string own = "." + identity_ + "-" + std::to_string(getpid());
  if (!is_there(path)) {
    const Beside folder(path + own);
    make_folder(folder.path());
    begin(folder.path());
    if (std::rename(folder.path().c_str(), path.c_str()) == 0) return Owner::we;
    const int error = errno;
    if (!is_there(path)) fail(error);
  }
  make_folder(path);  // says so if it is none
  return claim_existing(path, own);
}

RunFolder::Owner RunFolder::claim_existing(const std::string& path, const std::string& own) {
  const Beside file(path + "/run.json" + own);
  write(file.path(), run_json(identity_, facts_, agreed_));
  const bool is_ours = link(file.path().c_str(), (path + "/run.json").c_str()) == 0;
  const int error = errno;
  if (is_ours && !is_there(path + "/report.txt")) write(path + "/report.txt", "");
  if (!is_ours && error != EEXIST) begin(path);  // a file system without links
  return owner_of(path);
}

/// The same for a run that starts: one that is over leaves the folder to it.
RunFolder::Owner RunFolder::take(const std::string& path) {
  const auto owner = read_run_json(path + "/run.json");
  if (!owner || owner->is_alive) return claim(path);
  move_away(path, *owner);
  return claim(path);
}

void RunFolder::tell_if_elsewhere() const {
  if (chosen_by_user_ && path_ != first_path_ && speaks_for_job())
    tell(Severity::warning, "'" + first_path_ + "' is in use by another run: results are written to '" + path_ + "'",
         asked_by_, "a folder of its own for each run");
}

void RunFolder::settle() {
  const std::lock_guard lock(making_);
  if (state_ != not_made) return;
  try {
    const char* const sign = chosen_by_user_ ? "/run.json" : "";
    for (int i = 1; is_there(path_ + sign) && state_ != made; ++i)
      if (chosen_by_user_ && (i == 1 ? take(path_) : claim(path_)) == Owner::we) state_ = made;
      else path_ = place(i + 1);
    tell_if_elsewhere();
  } catch (const std::exception&) {  // told when something is to be written
  }
}

void RunFolder::agree(const cairn_job_agreed& agreed) {
  const std::lock_guard lock(making_);
  agreed_ = &agreed;
  identity_ = agreed.run;
  path_ = first_path_ = agreed.folder;
  if (state_ == not_made && chosen_by_user_ && agreed.leads != 0) claim_place();
  else if (state_ == made && (agreed.gap_count + agreed.place_count != 0 || *agreed.nodes != '\0'))
    write_file(path_ + "/run.json",
               run_json(identity_, facts_, agreed_));  // if that fails, so do the results, with a message
}

bool RunFolder::is_agreed() const { return agreed_ != nullptr || speaks_for_job(); }

void RunFolder::find_place() {
  for (int i = 1; claim(path_) != Owner::we; ++i) path_ = place(i + 1);
  tell_if_elsewhere();
}

/// Tells the user if that fails, once; `cairn run` may have done so.
bool RunFolder::claim_place() {
  try {
    if (is_agreed()) find_place();
    else make_folder(path_);
    if (is_agreed()) {
      state_ = made;
      tell_recorders(identity_);
    }
    return true;
  } catch (const std::system_error& error) {
    state_ = failed;
    if (speaks_of_loss() && std::getenv(out_told_variable) == nullptr)
      tell(Severity::error, not_writable(path_, error.code().value()) + what_is_lost(), asked_by_,
           remedy_for_writing(error.code().value()));
  }
  return false;
}

const char* RunFolder::make() {
  if (!chosen_by_user_ && !is_agreed()) return nullptr;  // its name would be another
  const std::lock_guard lock(making_);
  if (state_ == made && owner_of(path_) == Owner::another) state_ = not_made;  // taken by one on another host
  if (state_ == not_made && !claim_place()) return nullptr;
  return state_ == failed ? nullptr : path_.c_str();
}

}  // namespace cairn
