// SPDX-License-Identifier: BSD-3-Clause
// text_test.cc - splitting, escaping, paths.

#include "base/text.hpp"

#include <gtest/gtest.h>

namespace cairn {
namespace {

using Views = std::vector<std::string_view>;
using Strings = std::vector<std::string>;

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,b,", ','), (Views{"a", "b", ""}));
  EXPECT_EQ(split("", ','), (Views{""}));
}

TEST(SplitEscaped, TakesTheCharacterBehindABackslashLiterally) {
  EXPECT_EQ(split_escaped("a\\,b,c", ','), (Strings{"a,b", "c"}));
  EXPECT_EQ(split_escaped("a\\\\,b", ','), (Strings{"a\\", "b"}));
  EXPECT_EQ(split_escaped("end\\", ','), (Strings{"end\\"}));
}

TEST(Escape, IsUndoneBySplitEscaped) {
  const std::string text = "a,b\\c=d";
  EXPECT_EQ(escape(text, ",="), "a\\,b\\\\c\\=d");
  EXPECT_EQ(split_escaped(escape(text, ",="), ','), (Strings{text}));
}

TEST(QuotedForShell, LeavesPlainWordsAsTheyAre) {
  EXPECT_EQ(quoted_for_shell("--set=a:b,c@1%/x^~_+."), "--set=a:b,c@1%/x^~_+.");
  EXPECT_EQ(quoted_for_shell("a b"), "'a b'");
  EXPECT_EQ(quoted_for_shell("it's"), "'it'\\''s'");
  EXPECT_EQ(quoted_for_shell("~user"), "'~user'");
  EXPECT_EQ(quoted_for_shell("$HOME"), "'$HOME'");
  EXPECT_EQ(quoted_for_shell(""), "''");
}

TEST(Join, PutsTheSeparatorBetweenParts) {
  EXPECT_EQ(join({"a", "", "b"}, "+"), "a++b");
  EXPECT_EQ(join({}, "+"), "");
}

TEST(Paths, AreTakenApartAsDirnameAndBasenameDo) {
  EXPECT_EQ(folder_of("/a/b/c"), "/a/b");
  EXPECT_EQ(folder_of("/c"), "/");
  EXPECT_EQ(folder_of("c"), ".");
  EXPECT_EQ(file_of("/a/b/c"), "c");
  EXPECT_EQ(file_of("c"), "c");
}

}  // namespace
}  // namespace cairn
