// SPDX-License-Identifier: BSD-3-Clause
// moves.cc - moves that can be taken back

#include "cli/add_mpi/moves.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace cairn::cli {

namespace {

namespace fs = std::filesystem;

/// Taken back at the end, but for those that are kept.
class Moves {
 public:
  Moves() = default;
  Moves(const Moves&) = delete;
  Moves& operator=(const Moves&) = delete;
  ~Moves() {
    std::error_code none;
    for (auto move = done_.rbegin(); move != done_.rend(); ++move) fs::rename(move->second, move->first, none);
    for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) fs::remove(*folder, none);
  }

  void move(const fs::path& from, const fs::path& to) {
    make(to.parent_path());
    fs::rename(from, to);
    done_.emplace_back(from, to);
  }

  void keep() {
    done_.clear();
    made_.clear();
  }

 private:
  void make(const fs::path& folder) {
    if (fs::is_directory(folder)) return;
    make(folder.parent_path());
    fs::create_directory(folder);
    made_.push_back(folder);
  }

  std::vector<std::pair<fs::path, fs::path>> done_;
  std::vector<fs::path> made_;
};

std::vector<fs::path> files_below(const fs::path& folder, const std::string& last) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (!entry.is_directory()) files.push_back(entry.path().lexically_relative(folder));
  std::ranges::sort(files, {}, [&](const fs::path& file) { return std::pair(file == last, file); });
  return files;
}

}  // namespace

void put_in_place(const fs::path& from, const fs::path& to, const fs::path& aside, const std::string& last) {
  Moves moves;
  for (const fs::path& file : files_below(from, last)) {
    if (fs::exists(fs::symlink_status(to / file))) moves.move(to / file, aside / file);
    moves.move(from / file, to / file);
  }
  moves.keep();
}

}  // namespace cairn::cli
