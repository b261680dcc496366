// SPDX-License-Identifier: BSD-3-Clause
// open_annotations.hpp - the regions that annotations have opened on a thread, brought to nest as those of tools do.
//
// Values of attributes may end in any order: one that ends while others are open inside it lasts as long as they do.
// No MPI here; trivially destructible, as it belongs to a thread.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

#include "cairn/region.h"

namespace cairn {

class OpenAnnotations {
 public:
  enum class Kind : unsigned char { region, value };

  /// Calls hear(int level, const char* name), as in cairn/region.h, here and below. `owner`: an object of the program
  /// that will end the region, or null. Names are cut as regions are.
  template <class Hear>
  void begin(const char* name, Kind kind, const void* owner, Hear hear) {
    if (beyond_ != 0 || open_count_ == most_open || text_end_ + longest_name + 1 > sizeof text_) {
      ++beyond_;
      return;
    }
    const std::size_t length = strnlen(name, longest_name);
    char* const copy = text_ + text_end_;
    std::memcpy(copy, name, length);
    copy[length] = '\0';
    for (char* c = copy; *c != '\0'; ++c)
      if (*c == '/') *c = ':';  // regions lie in paths
    open_[open_count_++] = {copy, owner, kind, false, false};
    text_end_ += length + 1;
    hear(CAIRN_REGION_BEGIN, copy);
  }

  /// The innermost of that name, with what is open inside.
  template <class Hear>
  void end(std::string_view name, Hear hear) {
    const auto has_name = [&](const Open& one) { return same(one.name, name); };
    end_found(has_name, hear);
  }

  /// The innermost that is no attribute's value.
  template <class Hear>
  void end_innermost(Hear hear) {
    const auto is_region = [](const Open& one) { return one.kind == Kind::region; };
    end_found(is_region, hear);
  }

  /// The one that belongs to the object, if it is open.
  template <class Hear>
  void end_of(const void* owner, Hear hear) {
    const auto is_its = [&](const Open& one) { return one.owner == owner; };
    end_found(is_its, hear);
  }

  /// `key` with its "=".
  template <class Hear>
  void end_value(std::string_view key, Hear hear) {
    if (left_beyond()) return;
    std::size_t found = find([&](const Open& one) { return is_value_of(one, key); });
    if (found == none) return;
    for (std::size_t below = found; open_[below].replaces && below > 0;) {
      while (below > 0 && !is_value_of(open_[below - 1], key)) --below;
      if (below == 0) break;
      open_[--below].ended = true;
    }
    if (has_values_only(found)) take_out(found, hear);
    else open_[found].ended = true;
  }

  /// In place of the key's value so far, if there is one.
  template <class Hear>
  void set_value(std::string_view key, const char* name, Hear hear) {
    const std::size_t known = find([&](const Open& one) { return is_value_of(one, key); });
    const bool is_in_place = beyond_ == 0 && known != none && has_values_only(known);
    const bool had_value = known != none && (!is_in_place || open_[known].replaces);
    if (is_in_place) take_out(known, hear);
    begin(name, Kind::value, nullptr, hear);
    if (beyond_ == 0) open_[open_count_ - 1].replaces = had_value;
  }

  /// Another may begin anew here.
  void thread_ended() { open_count_ = beyond_ = text_end_ = 0; }

 private:
  static constexpr std::size_t longest_name = 200;  // as in cairn/region.h
  static constexpr std::size_t most_open = 64;
  static constexpr std::size_t none = ~std::size_t{0};

  struct Open {
    const char* name;
    const void* owner;
    Kind kind;
    bool ended;     // but others are open inside
    bool replaces;  // an earlier value of its key, which ends with it
  };

  /// As the name stands here.
  static bool same(const char* known, std::string_view name) {
    for (const char c : name.substr(0, longest_name))
      if (*known++ != (c == '/' ? ':' : c)) return false;
    return *known == '\0';
  }

  static bool is_value_of(const Open& one, std::string_view key) {
    return one.kind == Kind::value && !one.ended && std::string_view(one.name).starts_with(key);
  }

  template <class Test>
  std::size_t find(Test test) const {
    for (std::size_t i = open_count_; i > 0; --i)
      if (!open_[i - 1].ended && test(open_[i - 1])) return i - 1;
    return none;
  }

  /// What was begun when there was no room ends unheard.
  bool left_beyond() {
    if (beyond_ == 0) return false;
    --beyond_;
    return true;
  }

  template <class Test, class Hear>
  void end_found(Test test, Hear hear) {
    if (left_beyond()) return;
    if (const std::size_t found = find(test); found != none) close(found, hear);
  }

  bool has_values_only(std::size_t place) const {
    while (++place < open_count_)
      if (open_[place].kind != Kind::value) return false;
    return true;
  }

  /// It ends alone: values that are open inside begin again without it.
  template <class Hear>
  void take_out(std::size_t place, Hear hear) {
    const std::size_t begin = static_cast<std::size_t>(open_[place].name - text_);
    hear(CAIRN_REGION_END, open_[place].name);
    const std::size_t size = std::strlen(open_[place].name) + 1;
    std::memmove(text_ + begin, text_ + begin + size, text_end_ - begin - size);
    text_end_ -= size;
    for (std::size_t i = place + 1; i < open_count_; ++i) (open_[i - 1] = open_[i]).name -= size;
    --open_count_;
    for (std::size_t i = place; i < open_count_; ++i) hear(CAIRN_REGION_BEGIN, open_[i].name);
    while (open_count_ != 0 && open_[open_count_ - 1].ended) close_only(open_count_ - 1, hear);
  }

  template <class Hear>
  void close(std::size_t place, Hear hear) {
    close_only(place, hear);
    while (open_count_ != 0 && open_[open_count_ - 1].ended) close_only(open_count_ - 1, hear);
  }

  template <class Hear>
  void close_only(std::size_t place, Hear hear) {
    open_count_ = place;
    text_end_ = static_cast<std::size_t>(open_[place].name - text_);
    hear(CAIRN_REGION_END, open_[place].name);
  }

  Open open_[most_open];
  std::size_t open_count_ = 0;
  std::size_t beyond_ = 0;  // how many more are open, which nobody hears of
  std::size_t text_end_ = 0;
  char text_[4096];
};

}  // namespace cairn
