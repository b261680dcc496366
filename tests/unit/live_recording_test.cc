// SPDX-License-Identifier: BSD-3-Clause
// live_recording_test.cc - what is kept of a job is what was seen; damaged and foreign files are told

#include <nlohmann/json.hpp>
#include <random>

#include "base/message.hpp"
#include "cli/live/recording.hpp"
#include "live/saving.hpp"
#include "live/site.hpp"
#include "problem_of.hpp"
#include "where_pages.hpp"

namespace cairn::live {
namespace {

using cli::read_recording;
using cli::Recording;

class LiveRecording : public where::Where {
 protected:
  void look(double time) {
    std::vector<std::string> damaged;
    watched_.look(where::read_jobs(where::pages_in(folder_), damaged), damaged, time);
  }
  void make_rank(const std::string& run, const std::string& program = "/bin/app") {
    make(0, 2, [&](Page& page) {
      page.add(where::receive, 1, 5, false);
      std::strcpy(page.header().run, run.c_str());
      std::strcpy(page.header().program, program.c_str());
    });
  }
  /// Of two looks, and one when it is over.
  std::string saved() {
    Saving saving(path_, 0.5);
    saving.add(watched_);  // there is no job yet
    make_rank("abc", "/bin/a\"p\n\xff");
    for (const double time : {10.0, 11.0}) {
      look(time);
      saving.add(watched_);
    }
    std::filesystem::remove(folder_ + "/0.page");
    for (const double time : {12.0, 13.0}) {
      look(time);
      saving.add(watched_);
    }
    make_rank("next");
    look(14);
    saving.add(watched_);
    return read(path_);
  }
  std::string problem_with(const std::string& bytes) {
    write(path_, bytes);
    return problem_of([&] { read_recording(path_); });
  }

  std::string path_ = folder_ + "/saved";
  Watched watched_{nullptr, 0.5, 1};
};

TEST_F(LiveRecording, WhatIsReadIsWhatWasSeenOfOneJob) {
  saved();
  const Recording recording = read_recording(path_);
  EXPECT_FALSE(recording.is_cut);
  ASSERT_EQ(recording.looks.size(), 3U);
  EXPECT_EQ(recording.looks[1].time, 11);
  EXPECT_NE(recording.looks[0].text.find("MPI_Recv"), std::string::npos);
  EXPECT_EQ(recording.looks[2].text.find("the job is over"), 0U);
  const auto looks = nlohmann::json::parse(recording.all);
  EXPECT_EQ(looks[0]["points"].size(), 0U);
  EXPECT_EQ(looks[1]["points"].size(), 1U);
  EXPECT_EQ(looks[2]["points"].size(), 0U);  // each point once
  EXPECT_EQ(looks[1]["job"]["run"], "abc");
  EXPECT_EQ(looks[1]["where"]["state"], "waiting");
}

TEST_F(LiveRecording, AFileThatIsThereIsLeftAlone) {
  write(path_, "mine");
  EXPECT_EQ(problem_of([&] { Saving(path_, 1); }), "'" + path_ + "' already exists | another name, or remove it first");
  EXPECT_EQ(read(path_), "mine");
  EXPECT_EQ(
      problem_of([&] { Saving(folder_ + "/no/file", 1); }),
      "'" + folder_ + "/no/file' cannot be made: No such file or directory | a folder in which you may create files");
}

TEST_F(LiveRecording, AtItsGreatestSizeItEndsWithAWholeLine) {
  make_rank("abc");
  Saving saving(path_, 1, 6000);
  for (int time = 1; time < 20; ++time) {
    look(time);
    saving.add(watched_);
  }
  const Recording recording = read_recording(path_);
  EXPECT_FALSE(recording.is_cut);
  EXPECT_GT(recording.looks.size(), 1U);
  EXPECT_LE(read(path_).size(), 6000U);
}

TEST_F(LiveRecording, ALastLineThatIsNotWholeIsLeftOut) {
  const std::string whole = saved();
  write(path_, whole.substr(0, whole.size() - 1));
  EXPECT_TRUE(read_recording(path_).is_cut);
  EXPECT_EQ(read_recording(path_).looks.size(), 2U);
}

TEST_F(LiveRecording, OtherFilesAreToldFromRecordings) {
  const std::string foreign = "'" + path_ + "' is not a recording of 'cairn live' | ";
  for (const std::string bytes :
       {"", "\n", "{}\n", "[1]\n",
        "\x7f"
        "ELF",
        "{\"format\": 7}\n", "{\"format\": \"cairn-profile 1\"}\n", "{\"format\": \"cairn-live-recording\"}\n"})
    EXPECT_EQ(problem_with(bytes), foreign) << bytes;
  EXPECT_EQ(problem_with("{\"format\": \"cairn-live-recording 12\"}\n{}\n"),
            "'" + path_ + "' was recorded by another version of Cairn (format 12, this one reads 1) | ");
  const std::string head = "{\"format\": \"cairn-live-recording 1\"}\n";
  EXPECT_EQ(problem_with(head), "'" + path_ + "' is empty: no job was seen | a job with the tool 'where' in its stack");
  EXPECT_EQ(problem_with(head + "{}\n"), "'" + path_ + "' is damaged in line 2 | ");
  std::filesystem::remove(path_);
  const std::string good = saved();
  EXPECT_EQ(problem_with(good + "\n"),
            "'" + path_ + "' is damaged in line 5 | what comes before: head -n 4 " + path_ + " > FILE");
  EXPECT_EQ(problem_of([&] { read_recording(folder_ + "/none"); }),
            "'" + folder_ + "/none' cannot be read: No such file or directory | ");
}

/// Whatever is in it: a problem that names the file, or looks that the page can show.
TEST_F(LiveRecording, DamagedFilesDoNoHarm) {
  const std::string whole = saved();
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    std::string damaged = whole;
    for (int j = i % 4; j >= 0; --j) {
      const std::size_t at = random() % damaged.size();
      if (i % 3 == 0) damaged[at] = static_cast<char>(random());
      else if (i % 3 == 1) damaged.erase(at, random() % 40);
      else damaged.insert(at, std::string(random() % 60, "[{\"0,}]e"[random() % 8]));
    }
    write(path_, damaged);
    try {
      const Recording recording = read_recording(path_);
      EXPECT_EQ(nlohmann::json::parse(recording.all).size(), recording.looks.size());
    } catch (const Problem& problem) {
      ++refused;
      EXPECT_EQ(std::string(problem.what()).find("'" + path_ + "' "), 0U) << problem.what();
    }
  }
  EXPECT_GT(refused, 200);
}

TEST(LivePlayed, ARecordingIsServedToThoseWhoKnowTheTokenAndHasNoMetrics) {
  const std::string looks = "[{}]";
  const Site site(answers_about(looks), "secret", {});
  const auto ask = [&](const std::string& path, const std::string& token) {
    return site.answer({"GET", path, "localhost", "", "Bearer " + token, ""});
  };
  EXPECT_EQ(ask("/api/recording", "secret").body, looks);
  EXPECT_EQ(ask("/api/recording", "other").status, 401);
  EXPECT_EQ(ask("/api/state", "secret").body, "{\"is_recording\":true}\n");
  EXPECT_EQ(ask("/metrics", "secret").status, 404);
}

}  // namespace
}  // namespace cairn::live
