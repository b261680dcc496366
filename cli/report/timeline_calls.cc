// SPDX-License-Identifier: BSD-3-Clause
// timeline_calls.cc - packing calls and messages

#include "cli/report/timeline_calls.hpp"

#include <algorithm>

#include "cli/report/wording.hpp"
#include "trace/bytes.hpp"

namespace cairn::report {

std::string base64(std::string_view bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j)
      three = three << 8U | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (unsigned shift = 18, j = 0; j < 4; ++j, shift -= 6)
      text += i + j > bytes.size() ? '=' : letters[three >> shift & 63U];
  }
  return text;
}

void TimelineCalls::add(std::size_t row, std::int64_t begin, std::int64_t end, std::size_t function,
                        const std::string& arguments, const std::string& place) {
  const auto [known, is_new] =
      known_.try_emplace(std::to_string(function) + '\n' + arguments + '\n' + place, kinds_.size());
  if (is_new) kinds_.push_back(Json::array({function, harmless(arguments), harmless(place)}));
  rows_[row].push_back({begin, end, known->second});
}

void TimelineCalls::put(Json& chart) {
  std::string content;
  for (std::vector<Call>& row : rows_) {
    std::ranges::stable_sort(row, [](const Call& one, const Call& other) {
      return one.begin != other.begin ? one.begin < other.begin : one.end > other.end;
    });
    trace::put(content, row.size());
    std::int64_t last = 0;
    for (const Call& call : row) {
      trace::put(content, static_cast<std::uint64_t>(call.begin - last));
      trace::put(content, static_cast<std::uint64_t>(call.end - call.begin));
      trace::put(content, call.kind);
      last = call.begin;
    }
  }
  chart["calls"] = base64(content);
  chart["kinds"] = std::move(kinds_);
}

void TimelineMessages::add(const trace::FlowEnd& end, std::size_t row, std::int64_t at) {
  auto place = ends_.find(end.flow);
  if (place == ends_.end()) {
    if (end.mark == 0) {
      has_passed_ = true;
      return;
    }
    if (ends_.size() == most_) {
      left_out_ += end.is_sender ? 0 : 1;
      return;
    }
    place = ends_.try_emplace(end.flow).first;
  }
  Ends& its = place->second;
  const bool was_whole = its.has_from && its.has_to;
  (end.is_sender ? its.from_row : its.to_row) = row;
  (end.is_sender ? its.from_ns : its.to_ns) = at;
  (end.is_sender ? its.has_from : its.has_to) = true;
  its.bytes = end.bytes;
  its.tag = end.tag;
  if (!was_whole && its.has_from && its.has_to) ++whole_;
}

void TimelineMessages::put(Json& chart) const {
  std::string content;
  for (const auto& [flow, its] : ends_) {
    if (!its.has_from || !its.has_to) continue;
    for (const std::uint64_t number :
         {std::uint64_t{its.from_row}, static_cast<std::uint64_t>(its.from_ns), std::uint64_t{its.to_row},
          static_cast<std::uint64_t>(its.to_ns), its.bytes, static_cast<std::uint64_t>(std::max(its.tag, 0))})
      trace::put(content, number);
  }
  chart["messages"] = base64(content);
  chart["message_count"] = whole_;
}

}  // namespace cairn::report
