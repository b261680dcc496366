// SPDX-License-Identifier: BSD-3-Clause
// known.hpp - what records name by its place in the page, and by which number the trace knows it
//
// Places are used again for other objects. Numbers are not as long as the file may have records that mean what had them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cairn/services/recorder.hpp"
#include "trace/blocks.hpp"

namespace cairn::trace {

namespace page = cairn::page;

/// Gives out numbers from 1, and knows what has none in the page any more.
template <class Of>
class DefinitionNumbers {
 public:
  /// 0: all are taken.
  std::uint32_t take() {
    if (!free_.empty()) {
      const std::uint32_t number = free_.back();
      free_.pop_back();
      return number;
    }
    if (last_ + 1 < most_definitions) return ++last_;
    ++untaken_;
    return 0;
  }
  std::uint64_t untaken() const { return untaken_; }

  void retire(std::uint32_t number, Of definition) {
    if (number != 0) retired_.push_back({number, UINT64_MAX, std::move(definition)});
  }
  void settle(std::uint64_t ns) {
    for (auto one = retired_.rbegin(); one != retired_.rend() && one->ns == UINT64_MAX; ++one) one->ns = ns;
  }
  /// Defines what was retired and not long ago; the other numbers are free.
  void define_retired(std::uint64_t since_ns, std::string& content) {
    std::erase_if(retired_, [&](const Retired& one) {
      if (one.ns < since_ns) free_.push_back(one.number);
      else define(content, one.number, one.definition);
      return one.ns < since_ns;
    });
  }

 private:
  struct Retired {
    std::uint32_t number;
    std::uint64_t ns;  // when the last block that may name it was written; UINT64_MAX: it is still to come
    Of definition;
  };
  std::uint32_t last_ = 0;
  std::uint64_t untaken_ = 0;
  std::vector<std::uint32_t> free_;
  std::vector<Retired> retired_;  // in the order of time
};

class KnownObjects {
 public:
  explicit KnownObjects(const cairn::Recorder& recorder) : recorder_(recorder) {}

  /// Old records go, and what only they name, which `all` and `settle` tell.
  void expect_cuts() { expects_cuts_ = true; }
  /// All records that were translated are in blocks that were written by then.
  void settle(std::uint64_t ns) {
    object_numbers_.settle(ns);
    type_numbers_.settle(ns);
  }
  /// Definitions of all that records in blocks since then name, and of mapped files.
  std::string all(std::uint64_t since_ns);
  /// Objects and datatypes that have no number, as too many have.
  std::uint64_t unnamed() const { return object_numbers_.untaken() + type_numbers_.untaken(); }

  /// Compares the page with what was defined so far; returns the definitions of what is new.
  std::string refresh();
  /// The same for mapped files, once.
  std::string mapped() const;

  /// `ticks`: when it named them.
  void translate(page::Record& record, std::uint64_t ticks) const {
    record.object = number_in(objects_, record.object, ticks);
    record.type = number_in(types_, record.type, ticks);
  }

 private:
  template <class Definition>
  struct Place {
    std::uint32_t number = 0;  // 0: none was left, or it is not known
    bool is_known = false;
    Definition definition{};
    std::uint64_t made_at = 0;

    /// Records of this time may mean what was there before, or between.
    void lose() { made_at = UINT64_MAX; }
  };

  /// 0: what was there then is unknown.
  template <class Definition>
  static std::uint32_t number_in(const std::vector<Place<Definition>>& places, std::uint32_t place,
                                 std::uint64_t ticks) {
    return place < places.size() && places[place].made_at <= ticks ? places[place].number : 0;
  }

  template <class Definition>
  static Place<Definition>& place_of(std::vector<Place<Definition>>& places, std::uint32_t i) {
    if (i >= places.size()) places.resize(i + 1);
    return places[i];
  }
  void refresh_object(const page::Object& from, Place<Object>& place, std::string& content);
  void refresh_type(const page::Datatype& from, Place<Datatype>& place, std::string& content);
  void read_members(const page::Object& from, std::uint64_t made_at, Object& object) const;

  const cairn::Recorder& recorder_;
  std::vector<Place<Object>> objects_;  // by place in the page
  std::vector<Place<Datatype>> types_;
  DefinitionNumbers<Object> object_numbers_;
  DefinitionNumbers<Datatype> type_numbers_;
  bool expects_cuts_ = false;
};

}  // namespace cairn::trace
