// SPDX-License-Identifier: BSD-3-Clause
// sent_pages.hpp - pages on their way from the node where they are to the one where somebody asks
//
// As lines of text, which launchers carry whole, beside whatever else they and login shells say:
//   cairn-pages 1 HOST BASE64   a part of what the node sends
//   cairn-pages 1 HOST . SIZE   all of it has been sent, so many bytes before base 64
// A node may send again and again: then only what has changed since the time before, and which pages are still there.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
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
  std::string changes(const std::string& path, std::string bytes);

  std::string host_;
  std::size_t history_;
  std::vector<std::string_view> boards_;
  PageReader reader_;
  std::map<std::string, std::string> sent_;    // bytes of files, by path
  std::map<std::string, std::string> before_;  // those of the time before that have not come yet
  std::size_t size_ = 0;                       // of what has come
};

/// Puts together what nodes send, by host.
class SentPages {
 public:
  /// `again`: what has come whole is unpacked, and what comes then is put on top of it.
  explicit SentPages(bool again = false) : again_(again) {}

  /// The next part of a stream of lines; what is none of ours is left out.
  void add(std::string_view text);

  struct Sender {
    std::string bytes;                           // as they came; with `again`, of what is coming
    std::vector<SentPage> pages;                 // with `again`: as they were last
    std::size_t times = 0;                       // that all has come
    std::chrono::steady_clock::time_point last;  // when it did
    bool is_damaged = false;                     // nothing more can be known
  };
  const std::map<std::string, Sender>& senders() const { return senders_; }
  /// Of what has come once, one after the other: each is as large as its file. What is damaged ends them.
  static void for_each_page(const std::string& host, std::string_view bytes,
                            const std::function<void(const SentPage&)>& visit);

 private:
  void add_line(std::string_view line);

  bool again_;
  Lines lines_;
  std::map<std::string, Sender> senders_;
};

}  // namespace cairn::where
