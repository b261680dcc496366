// SPDX-License-Identifier: BSD-3-Clause
// web.hpp - what the command and the library that serves web pages agree on (src/live_server/)
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::live {

/// A header that the client has not sent is empty.
struct Request {
  std::string method;
  std::string path;
  std::string host;
  std::string origin;
  std::string authorization;
  std::string after = {};  // of the query, as the next
  std::string variable = {};
  std::string value = {};
  std::string ranks = {};
  std::string body = {};  // of a POST
};

/// A longer body is answered with 413.
inline constexpr std::size_t most_of_body = 16384;

struct Answer {
  int status = 200;
  std::string type;
  std::string body;
  std::string allow = {};  // of 405: the methods that the path has
};

/// From a thread of the library.
using Answering = std::function<Answer(const Request&)>;

/// A file of the page.
struct Asset {
  std::string path;
  std::string type;
  std::string_view text;
};

/// Errors are texts, as no exception leaves the library.
struct WebLibrary {
  std::vector<Asset> (*assets)();
  /// Serves on the loopback address until the process ends. `port`: 0 for one that is free, and then the one that was
  /// taken. "": done; otherwise why not.
  std::string (*serve)(int& port, Answering answering);
};

/// The library's one symbol.
inline constexpr const char* web_library_symbol = "cairn_web_library";

}  // namespace cairn::live
