// SPDX-License-Identifier: BSD-3-Clause
// formats_test.cc - what files are made of: JSON as nlohmann::json reads and writes it, lists of ranks, columns, packed
// results

#include <gtest/gtest.h>

#include <bit>
#include <clocale>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "cairn/kit/packing.hpp"
#include "formats/json_writer.hpp"
#include "formats/numbers.hpp"
#include "formats/ranks.hpp"
#include "formats/readers.hpp"
#include "formats/tags.hpp"
#include "formats/text.hpp"

namespace cairn::formats {
namespace {

using Json = nlohmann::ordered_json;

TEST(JsonNumbers, AreTheShortestThatAreReadAsTheSame) {
  for (const double value : {0.0, -0.0, 1.0, -1.5, 0.1, 1e-5, 0.0001, 0.00012345, 123456.75, 1e15, 1e14,
                             123456789012345678.0, 1e300, 5e-324, 2.0 / 3, 1e21, 100.0})
    EXPECT_EQ(json_number(value), Json(value).dump()) << value;
}

TEST(JsonNumbers, AreReadAsTheSameWhateverTheirBits) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(Json::parse(json_number(value)).get<double>(), value);
    ASSERT_LE(json_number(value).size(), Json(value).dump().size());
  }
}

TEST(JsonNumbers, AreNullWhereTheyAreNone) {
  for (const double value : {HUGE_VAL, -HUGE_VAL, std::nan("")}) EXPECT_EQ(json_number(value), "null");
}

TEST(JsonTexts, AreEscaped) {
  std::string all;
  for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
  for (const std::string& text : {all, std::string("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"), std::string()}) {
    std::string out;
    add_json_text(out, text);
    EXPECT_EQ(out, Json(text).dump());
  }
}

TEST(JsonTexts, HaveAReplacementForWhatIsNoUtf8) {
  for (const char* text : {"\xff", "a\xc3", "\xe2\x82", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80", "\x80z"}) {
    std::string out;
    add_json_text(out, text);
    const auto read = Json::parse(out).get<std::string>();
    EXPECT_NE(read.find("\xef\xbf\xbd"), std::string::npos) << out;
  }
}

TEST(JsonWriter, LaysOutAsNlohmannDoes) {
  JsonWriter json(2);
  json.object([&] {
    json("text", "a");
    json("whole", -3);
    json("truth", true);
    json("nothing", nullptr);
    json.number("plain", 3.0);
    json.number("broken", 3.5);
    json.object("empty", [] {});
    json.values("none", std::vector<int>{});
    json.array("rows", std::vector<int>{1, 2}, [&](int i) { json.object([&] { json("i", i); }); });
    json.values("list", std::vector<double>{1, 2.5});
  });
  const std::string text = json.take();
  EXPECT_EQ(text, Json::parse(text).dump(2) + "\n");
  EXPECT_EQ(Json::parse(text).dump(), R"({"text":"a","whole":-3,"truth":true,"nothing":null,"plain":3,"broken":3.5,)"
                                      R"("empty":{},"none":[],"rows":[{"i":1},{"i":2}],"list":[1.0,2.5]})");
}

TEST(JsonWriter, PutsWhatItIsToldOnOneLine) {
  JsonWriter json(1);
  json.object([&] {
    json.array("rows", std::vector<int>{1, 2}, [&](int i) { json.on_one_line([&] { json.row(i, "x", i * 0.5); }); });
    json.on_one_line([&] {
      json.object("one", [&] {
        json("a", 1);
        json("b", 2);
      });
    });
  });
  EXPECT_EQ(json.take(),
            "{\n \"rows\": [\n  [1,\"x\",0.5],\n  [2,\"x\",1.0]\n ],\n \"one\": {\"a\": 1, \"b\": 2}\n}\n");
}

TEST(RunJson, IsReadAsItWasWritten) {
  run::Summary run;
  for (const bool full : {false, true}) {
    if (full)
      run = {"00aa",
             "/bin/app",
             "2026-11-22T10:00:00+0100",
             "node1",
             {123, 456},
             8,
             4,
             "Open MPI 4.1.4",
             {{"mpi_yield_when_idle", "1"}},
             {{"profile", {{"depth", "3"}}, {{"ranks", {"0-3", "8"}}}}, {"comm", {}, {}}},
             {{"", 0, "3"}, {"profile", 2, "0-1"}, {"comm", 1, "0-2", true}},
             {{"node1", "0-3"}, {"node2", "4-7"}},
             "slurm 12",
             {{"node1", "0-3,8", "0-2"}, {"node2", "", "3"}},
             {{"commit", "1a2b"}}};
    const std::string text = file_text(run);
    EXPECT_EQ(file_text(run::read_text(text)), text);
    EXPECT_EQ(Json::parse(text)["tools"].size(), full ? 2U : 0U);
  }
}

TEST(RunJson, ThatIsDamagedIsNobodys) {
  for (const char* text : {"", "{", "[]", R"({"run": "00aa", "process": [1]})"})
    EXPECT_EQ(run::read_text(text).identity, "") << text;
  EXPECT_EQ(run::read_text(R"({"run": "00aa", "tools": [3, {"tool": "x"}], "settings": []})").tools.size(), 1U);
}

waits::Summary some_waits() {
  const waits::Place place{"MPI_Recv", {"solve", "/src/heat.c", 120, "/bin/heat", 0x4f}};
  waits::Summary all;
  all.run = "00aa";
  all.ranks = 4;
  all.run_time = 2.5;
  all.coverage.missing = {3};
  all.coverage.left_out = {{"records lost", {1, 2}, 17}};
  all.by_rank = {{0, {1, 0.5, 0.25, 0.125}, 0.75}, {1, {1, 0.5, 0.25, 0.125, 0.0625}, 0}};
  all.waits = {{"late_sender", place, "MPI_COMM_WORLD", "solve", 0.5, 10, 0.25, 2, {0, 1, 2}}};
  all.pairs = {{2, 3, 0.25, 5}};
  all.causes = {{"work",
                 {3},
                 place,
                 place,
                 "solve",
                 0.5,
                 1,
                 1,
                 0.5,
                 10,
                 {{"late_sender", place, 0.5}},
                 true,
                 true,
                 2,
                 0.01,
                 2.25,
                 0.02,
                 {}}};
  all.path.pieces = {{"work", place, place, "solve", 1, 0.5, {3}}};
  all.path.segments = {{3, 0, 2}, {2, 2, 2.5}};
  all.what_if = {{"ideal_network", 2.25, 0.01}};
  all.searches = {{place, {1, 2}, 4000, 2000, 0.25, 2.25, 0.01}};
  all.nodes = {{"n1", {0, 1}, 0.5, 0.75, 0.625}};
  all.windows = {{"", 0, 1, 1, {0.5, 0.75, 0.6, 1, 1}}};
  all.timeline = {0.5, {{{0, 1}, 0.25, {100, 50}, {0, 25}, {0, 10}, {100, 0}}}};
  return all;
}

TEST(WaitsJson, IsReadAsItWasWritten) {
  for (const waits::Summary& waits : {waits::Summary{}, some_waits()}) {
    const std::string text = file_text(waits);
    EXPECT_EQ(file_text(read_waits(Json::parse(text))), text);
  }
  EXPECT_EQ(Json::parse(file_text(some_waits()))["causes"][0]["from"]["line"], 120);
  EXPECT_EQ(Json::parse(file_text(some_waits()))["pairs"].dump(), "[[2,3,0.25,5]]");
}

TEST(RankLists, AreShortAndReadAgain) {
  const std::pair<std::vector<int>, const char*> cases[] = {{{}, ""},
                                                            {{4}, "4"},
                                                            {{0, 1, 2, 3}, "0-3"},
                                                            {{0, 2}, "0,2"},
                                                            {{0, 2, 4}, "0-4:2"},
                                                            {{5, 4, 3}, "5,4,3"},
                                                            {{7, -1, -1, 8, 9}, "7,x,x,8-9"},
                                                            {{1, 1, 2}, "1,1-2"}};
  for (const auto& [ranks, text] : cases) {
    EXPECT_EQ(ranks_text(ranks), text);
    EXPECT_EQ(ranks_of(text), ranks);
  }
}

TEST(RankLists, OfDamagedFilesStaySmall) {
  EXPECT_EQ(ranks_of("0-4000000000", 3), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(ranks_of("1,zzz", 8), (std::vector<int>{1}));
  EXPECT_EQ(ranks_of("0-6:0", 8), std::vector<int>());
  EXPECT_EQ(ranks_of("5-2", 8), std::vector<int>());
  EXPECT_EQ(ranks_of("-3", 8), std::vector<int>());
  EXPECT_EQ(ranks_of("1-", 8), std::vector<int>());
  EXPECT_EQ(ranks_of("x,x,x,x,x", 2).size(), 3U);
  EXPECT_EQ(ranks_of("99999999999999999999", 8), std::vector<int>());
  EXPECT_EQ(ranks_of("1-9223372036854775807:9223372036854775807", 8), std::vector<int>{1});
}

TEST(Formats, RanksThatAUserGivesAreReadAsAWhole) {
  EXPECT_EQ(given_ranks("0-3,7", 8), (std::vector<int>{0, 1, 2, 3, 7}));
  EXPECT_EQ(given_ranks("0-6:2", 8), (std::vector<int>{0, 2, 4, 6}));
  EXPECT_EQ(given_ranks("1-5:9223372036854775807", 8), std::vector<int>{1});
  for (const char* const wrong :
       {"", "0-", "1-0", "-1", "8", "0-8", "0 1", "0,", ",0", "0:0", "x", "99999999999999999999"})
    EXPECT_EQ(given_ranks(wrong, 8), std::nullopt) << wrong;
}

TEST(RankLists, WhateverIsReadIsAListWithinItsLimit) {
  static constexpr std::string_view letters = "0123456789999-:,x, \n";
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto length = random() % 40; length > 0; --length)
      text += random() % 30 == 0 ? static_cast<char>(random()) : letters[random() % letters.size()];
    const int limit = static_cast<int>(random() % 100);
    const std::vector<int> ranks = ranks_of(text, limit);
    EXPECT_LE(ranks.size(), static_cast<std::size_t>(limit) + 1) << text;
    for (const int rank : ranks) EXPECT_TRUE(rank >= -1 && rank < limit) << text;
    EXPECT_EQ(ranks_of(ranks_text(ranks)), ranks) << text;
  }
}

TEST(Numbers, AreTheSameInEveryLocale) {
  const char* const before = std::setlocale(LC_ALL, "de_DE.UTF-8");  // where it is installed
  EXPECT_EQ(fixed(1234.5678, 2), "1234.57");
  EXPECT_EQ(significant(0.000012345, 3), "1.23e-05");
  EXPECT_EQ(significant(12.5, 6), "12.5");
  EXPECT_EQ(significant(999.4, 3), "999");
  EXPECT_EQ(significant(999.6, 3), "1000");
  EXPECT_EQ(significant(-1234.5, 2), "-1234");
  EXPECT_EQ(plain_number(3), "3");
  EXPECT_EQ(plain_number(2.5), "2.5");
  EXPECT_EQ(plain_number(1e17), "1e+17");
  EXPECT_EQ(hexadecimal(0x4f), "0x4f");
  if (before != nullptr) std::setlocale(LC_ALL, "C");
}

TEST(Numbers, OfBytesHaveAUnit) {
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1000), "1.0 kB");
  EXPECT_EQ(human_bytes(999'949), "999.9 kB");
  EXPECT_EQ(human_bytes(999'951), "1.0 MB");
  EXPECT_EQ(human_bytes(UINT64_MAX), "18.4 EB");
}

TEST(Columns, CountCharactersNotBytes) {
  EXPECT_EQ(left("µs", 4) + "|", "µs  |");
  EXPECT_EQ(right(7, 4), "   7");
  EXPECT_EQ(right("longer", 4), "longer");
  EXPECT_EQ(cat({"a", 1, " ", -2L, std::string("z")}), "a1 -2z");
  EXPECT_EQ(plural(1, "rank"), "1 rank");
  EXPECT_EQ(plural(0, "rank"), "0 ranks");
}

TEST(Places, AreToldAsFarAsTheyAreKnown) {
  EXPECT_EQ(place_text({"exchange", "/src/halo.c", 120, "/bin/app", 79}), "halo.c:120 exchange");
  EXPECT_EQ(place_text({"exchange", "", 0, "/bin/app", 79}), "exchange in app");
  EXPECT_EQ(place_text({"", "", 0, "/bin/app", 79}), "app+0x4f");
  EXPECT_EQ(place_text({}), "");
}

TEST(Tags, AreANameAndANumber) { EXPECT_EQ(profile_tag.text(), "cairn-profile 1"); }

struct Packed {
  std::int64_t number = 0;
  double value = 0;
  bool truth = false;
  std::map<std::string, std::vector<int>> lists;
  std::pair<std::uint8_t, std::uint64_t> both;

  static void members(auto& archive, auto& one) { archive(one.number, one.value, one.truth, one.lists, one.both); }
  bool operator==(const Packed&) const = default;
};

TEST(Packing, GivesBackWhatItGot) {
  for (const std::int64_t number : {std::int64_t{0}, std::int64_t{-1}, INT64_MAX, INT64_MIN}) {
    const Packed before{number, 0.1, true, {{"a", {1, -2, INT32_MIN}}, {"", {}}}, {255, UINT64_MAX}};
    EXPECT_EQ(unpack<Packed>(pack(before)), before);
  }
  const std::vector<Packed> many(3);
  EXPECT_EQ(unpack<std::vector<Packed>>(pack(many)), many);
}

TEST(Packing, RefusesWhatIsCutOff) {
  const std::string bytes = pack(Packed{1, 2, true, {{"name", {1, 2}}}, {1, 2}});
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(unpack<Packed>(std::string_view(bytes).substr(0, size)), std::runtime_error) << size;
}

}  // namespace
}  // namespace cairn::formats
