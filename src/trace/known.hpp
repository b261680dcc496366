// SPDX-License-Identifier: BSD-3-Clause
// known.hpp - what records name by its place in the page, and by which number the trace knows it
//
// Places are used again for other objects, numbers of a trace are not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/services/recorder.hpp"
#include "trace/blocks.hpp"

namespace cairn::trace {

namespace page = cairn::page;

class KnownObjects {
 public:
  explicit KnownObjects(const cairn::Recorder& recorder) : recorder_(recorder) {}

  /// Compares the page with what was defined so far; returns the definitions of what is new.
  std::string refresh();
  /// The same for mapped files, once.
  std::string mapped() const;

  void translate(page::Record& record) const {
    record.object = record.object < objects_.size() ? objects_[record.object].number : 0;
    record.type = record.type < types_.size() ? types_[record.type].number : 0;
  }

 private:
  template <class Definition>
  struct Place {
    std::uint32_t number = 0;
    Definition definition;
  };

  template <class Entry>
  const Entry* table(const page::Table& table) const {
    return reinterpret_cast<const Entry*>(reinterpret_cast<const char*>(recorder_.page()) + table.at);
  }
  void refresh_object(const page::Object& from, Place<Object>& place, std::string& content);
  void refresh_type(const page::Datatype& from, Place<Datatype>& place, std::string& content);
  void read_members(const page::Object& from, Object& object) const;

  const cairn::Recorder& recorder_;
  std::vector<Place<Object>> objects_;  // by place in the page
  std::vector<Place<Datatype>> types_;
  std::uint32_t object_count_ = 0;
  std::uint32_t type_count_ = 0;
};

}  // namespace cairn::trace
