// SPDX-License-Identifier: BSD-3-Clause
// sent_pages.hpp - pages on their way from the node where they are to the one where somebody asks
//
// As lines of text, which launchers carry whole, beside whatever else they and login shells say:
//   cairn-pages 1 HOST BASE64   a part of what the node sends
//   cairn-pages 1 HOST . SIZE   all of it has been sent, so many bytes before base 64
//   cairn-pages 1 HOST ! BASE64   why nothing comes from it, as the node says that it is asked through
// A node may send again and again: then only what has changed since the time before, and which pages are still there.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "where/lines.hpp"
#include "where/page_reader.hpp"

namespace cairn::where {

class PageSender {
 public:
  /// With at most so many calls of each thread, and with boards of these endings.
  PageSender(std::string host, std::size_t history, std::vector<std::string_view> boards = {})
      : host_(std::move(host)), history_(history), boards_(std::move(boards)) {}

  /// Of one page after the other; "" if it has gone away.
  std::string page(const std::string& path);
  /// That these are all.
  std::string end();
  /// All of these pages at once.
  std::string lines(const std::vector<std::string>& paths);

 private:
  std::string packed(const std::string& path);
  std::string changes(const std::string& path, std::string_view bytes);

  std::string host_;
  std::size_t history_;
  std::vector<std::string_view> boards_;
  PageReader reader_;
  struct File {
    SparseBytes bytes;  // as they were sent last
    bool is_there = false;
  };
  std::map<std::string, File> sent_;  // by path
  std::size_t size_ = 0;              // of what has come
};

std::string line_of_silence(const std::string& host, const std::string& why);

/// Takes a line, without its end, that is to go on to whoever has asked.
using PassOn = std::function<void(std::string_view line)>;

/// Puts together what nodes send, by host.
class SentPages {
 public:
  /// `again`: what has come whole is unpacked, and what comes then is put on top of it. With `pass_on` nothing is kept;
  /// that nothing comes from a node is not passed on: whoever hears it may reach the node.
  explicit SentPages(bool again = false, PassOn pass_on = nullptr) : again_(again), pass_on_(std::move(pass_on)) {}

  /// The next part of a stream of lines; what is none of ours is left out.
  void add(std::string_view text);

  struct Sender {
    std::string bytes;                           // as they came; with `again`, of what is coming
    std::vector<SentPage> pages;                 // with `again`: as they were last
    std::size_t times = 0;                       // that all has come
    std::chrono::steady_clock::time_point last;  // when it did
    bool has_pages = false;                      // the last time
    bool is_damaged = false;                     // nothing more can be known
    std::string silence;                         // since then: why nothing has come
  };
  const std::map<std::string, Sender>& senders() const { return senders_; }
  /// When something came that is no damage.
  std::chrono::steady_clock::time_point heard() const { return heard_; }
  /// Of what has come once, one after the other: each is as large as its file. What is damaged ends them.
  static void for_each_page(const std::string& host, std::string_view bytes,
                            const std::function<void(const SentPage&)>& visit);

 private:
  void add_line(std::string_view line);
  static void damage(Sender& sender);

  bool again_;
  PassOn pass_on_;
  Lines lines_;
  std::map<std::string, Sender> senders_;
  std::chrono::steady_clock::time_point heard_;
};

}  // namespace cairn::where
