// SPDX-License-Identifier: BSD-3-Clause
// sent_pages.hpp - pages on their way from the node where they are to the one where somebody asks
//
// As lines of text, which launchers carry whole, beside whatever else they and login shells say:
//   cairn-pages 1 HOST BASE64   a part of what the node sends
//   cairn-pages 1 HOST . SIZE   all of it has been sent, so many bytes before base 64
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "where/page_reader.hpp"

namespace cairn::where {

/// With at most so many calls of each thread; a page that goes away meanwhile is left out.
std::string lines_of_pages(const std::vector<std::string>& paths, const std::string& host, std::size_t history);

/// Puts together what nodes send, by host.
class SentPages {
 public:
  /// The next part of a stream of lines; what is none of ours is left out.
  void add(std::string_view text);

  struct Sender {
    std::string bytes;
    bool is_complete = false;
  };
  const std::map<std::string, Sender>& senders() const { return senders_; }
  /// Of a sender that is complete. What is damaged ends them.
  static std::vector<SentPage> pages_of(const std::string& host, std::string_view bytes);

 private:
  void add_line(std::string_view line);

  std::string rest_;  // of a line that is not complete
  std::map<std::string, Sender> senders_;
};

}  // namespace cairn::where
