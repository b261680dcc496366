// SPDX-License-Identifier: BSD-3-Clause
// times.cc - what is usual of each kind of moment, and which differ from that

#include "trace/times.hpp"

#include <algorithm>

namespace cairn::trace {

namespace {

constexpr std::size_t often = 4;  // below that, what is usual is rounded to the error

std::uint64_t size_of(std::uint64_t difference) {
  return static_cast<std::int64_t>(difference) < 0 ? 0 - difference : difference;
}

/// The mean of those that are as near to the median as moments may be off: others are corrected.
std::uint64_t usual_of(std::uint64_t* begin, std::uint64_t* end, std::uint64_t error) {
  std::uint64_t* const middle = begin + (end - begin) / 2;
  std::nth_element(begin, middle, end);
  const std::uint64_t median = *middle;
  std::int64_t sum = 0;
  std::int64_t count = 0;
  std::for_each(begin, end, [&](std::uint64_t one) {
    if (size_of(one - median) > error) return;
    sum += static_cast<std::int64_t>(one - median);
    ++count;
  });
  return median + static_cast<std::uint64_t>(sum / count);
}

/// Moments do not go back.
void go_on(std::uint64_t& last, std::uint64_t to) {
  if (static_cast<std::int64_t>(to - last) > 0) last = to;
}

}  // namespace

void TimesEncoder::add(std::uint64_t kind, std::uint64_t ticks) {
  if (ticks < latest_) goes_back_ = true;
  latest_ = std::max(latest_, ticks);
  const auto number = kinds_.try_emplace(kind, static_cast<std::uint32_t>(kinds_.size())).first->second;
  moments_.push_back({ticks, number});
}

TimesEncoder::Columns TimesEncoder::take(std::uint64_t error) {
  Columns made;
  std::uint64_t& last = read_;
  const std::uint64_t first = moments_.empty() ? 0 : moments_.front().ticks;
  last = goes_back_ ? first : std::max(first, last);
  put(made.usual, goes_back_ ? 0 : error);
  put(made.usual, last);
  if (goes_back_) {
    for (std::size_t i = 1; i < moments_.size(); ++i)
      put_signed(made.values, moments_[i].ticks - std::exchange(last, moments_[i].ticks));
  } else {
    std::vector<Kind> kinds = find_usual(error, made.usual);
    for (std::size_t i = 1; i < moments_.size(); ++i) correct(kinds[moments_[i].kind], error, moments_[i].ticks, last);
    for (const Kind& kind : kinds) {
      put(made.runs, kind.corrections);
      made.runs += kind.runs;
      made.values += kind.values;
    }
  }
  moments_.clear();
  kinds_.clear();
  goes_back_ = false;
  return made;
}

std::vector<TimesEncoder::Kind> TimesEncoder::find_usual(std::uint64_t error, std::string& usual) const {
  std::vector<std::size_t> ends(kinds_.size() + 1);
  for (std::size_t i = 1; i < moments_.size(); ++i) ++ends[moments_[i].kind + 1];
  for (std::size_t kind = 1; kind < ends.size(); ++kind) ends[kind] += ends[kind - 1];
  std::vector<std::uint64_t> lengths(moments_.size());
  std::vector<std::size_t> next(ends.begin(), ends.end() - 1);
  for (std::size_t i = 1; i < moments_.size(); ++i)
    lengths[next[moments_[i].kind]++] = moments_[i].ticks - moments_[i - 1].ticks;
  std::vector<Kind> kinds(kinds_.size());
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    const std::size_t count = ends[kind + 1] - ends[kind];
    std::uint64_t& found = kinds[kind].usual;
    if (count != 0) found = usual_of(lengths.data() + ends[kind], lengths.data() + ends[kind + 1], error);
    const std::uint64_t errors = (found + error / 2) / error;
    put(usual, count >= often ? found << 1U : errors << 1U | 1U);
    if (count < often) found = errors * error;
  }
  return kinds;
}

void TimesEncoder::correct(Kind& kind, std::uint64_t error, std::uint64_t ticks, std::uint64_t& last) {
  const std::uint64_t expected = last + kind.usual;
  const std::uint64_t size = size_of(ticks - expected);
  if (size <= error) {
    ++kind.run;
    return go_on(last, expected);
  }
  const std::uint64_t rounded = (size + error / 2) / error;
  const std::uint64_t errors = ticks - expected == size ? rounded : 0 - rounded;
  put(kind.runs, std::exchange(kind.run, 0));
  put_signed(kind.values, errors);
  ++kind.corrections;
  go_on(last, expected + errors * error);
}

TimesDecoder::TimesDecoder(Bytes usual, Bytes runs, Bytes values)
    : usual_(usual), runs_(runs), values_(values), error_(usual_.number()), last_(usual_.number()) {}

std::uint64_t TimesDecoder::next(std::uint64_t number) {
  const bool is_first = std::exchange(is_first_, false);
  if (error_ == 0) return is_first ? last_ : last_ += values_.difference();
  const auto [place, is_new] = kinds_.try_emplace(number);
  Kind& kind = place->second;
  if (is_new) read(kind);
  if (is_first) return last_;
  std::uint64_t made = last_ + kind.usual;
  if (kind.next < kind.corrections.size() && kind.corrections[kind.next].first-- == 0)
    made += kind.corrections[kind.next++].second;
  go_on(last_, made);
  return last_;
}

void TimesDecoder::read(Kind& kind) {
  const std::uint64_t usual = usual_.number();
  kind.usual = (usual & 1U) != 0 ? (usual >> 1U) * error_ : usual >> 1U;
  for (std::uint64_t count = runs_.number(); count > 0; --count) {
    const std::uint64_t run = runs_.number();
    kind.corrections.emplace_back(run, values_.difference() * error_);
  }
}

}  // namespace cairn::trace
