// SPDX-License-Identifier: BSD-3-Clause
// moves_test.cc - files that `cairn add-mpi` puts among others: all of them, or none.

#include "cli/add_mpi/moves.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

class Moves : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(root_.data()), nullptr); }
  void TearDown() override { fs::remove_all(root_); }

  fs::path path(const std::string& name) const { return fs::path(root_) / name; }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(path(name).parent_path());
    std::ofstream(path(name)) << text;
  }

  /// Names and contents, with folders as names that end in a slash.
  Files below(const std::string& folder) const {
    Files files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path(folder))) {
      const std::string name = entry.path().lexically_relative(path(folder)).string();
      if (entry.is_directory()) {
        files[name + "/"] = "";
        continue;
      }
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      files[name] = text.str();
    }
    return files;
  }

  void put() const { put_in_place(path("new"), path("to"), path("aside"), "engine.so"); }

 private:
  std::string root_ = testing::TempDir() + "/moves.XXXXXX";
};

TEST_F(Moves, FilesTakeTheirPlacesAmongOthers) {
  write("new/engine.so", "new");
  write("new/mpi/profile.so", "new");
  write("to/engine.so", "old");
  write("to/other.so", "of others");
  write("to/mpi/site.so", "of others");
  put();
  EXPECT_EQ(below("to"), (Files{{"engine.so", "new"},
                                {"mpi/", ""},
                                {"mpi/profile.so", "new"},
                                {"mpi/site.so", "of others"},
                                {"other.so", "of others"}}));
  EXPECT_EQ(below("aside"), (Files{{"engine.so", "old"}}));
}

TEST_F(Moves, IfOneCannotBeMovedAllIsAsBefore) {
  write("new/a.so", "new");
  write("new/fresh/b.so", "new");
  write("new/mpi/c.so", "new");
  write("new/engine.so", "new");
  write("to/a.so", "old");
  write("to/engine.so", "old");
  write("to/mpi", "in the way");
  const Files before = below("to");
  const Files fresh = below("new");
  try {
    put();
    FAIL() << "a file is in the way";
  } catch (const fs::filesystem_error& error) {
    EXPECT_EQ(error.path1(), path("to/mpi"));
  }
  EXPECT_EQ(below("to"), before);
  EXPECT_EQ(below("new"), fresh);
}

}  // namespace
}  // namespace cairn::cli
