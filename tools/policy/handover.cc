// SPDX-License-Identifier: BSD-3-Clause
// handover.cc - reading the mailbox, and agreeing on what is in it

#include "handover.hpp"

#include <functional>

#include "cairn/kit/own_work.hpp"

namespace policy {

using cairn::formats::Outcome;

std::string Handover::start(const cairn::Self& self, Published& published) {
  const cairn::OwnWork own;
  mailbox_ = published.add_mailbox();
  agreement_.start(self);
  is_open_ = true;
  return mailbox_ != nullptr ? ""
                             : "no policy was named, and none can be given: that takes the tool 'where' in the stack, "
                               "and is for the first policy there";
}

void Handover::finish() {
  if (!is_open_.exchange(false)) return;
  agreement_.finish();
}

/// Where ranks were given different ones, nobody takes any.
[[gnu::noinline, gnu::cold]] std::optional<Handover::Given> Handover::take() {
  const bool has_one = mailbox_ != nullptr && mailbox_->asked.load(std::memory_order_acquire) != order_;
  const cairn::formats::OrderCopy order =
      has_one ? cairn::formats::copy_of_order(*mailbox_) : cairn::formats::OrderCopy{};
  const std::string& value = order.value;
  const auto what = static_cast<double>(std::hash<std::string>()(value) >> 16U);
  std::vector<double> numbers = {has_one ? -1.0 : 0.0, what, -what};
  agreement_.max(numbers);
  if (numbers[0] > -1) return std::nullopt;
  order_ = order.number;
  if (numbers[1] != -numbers[2]) {
    refuse("other ranks were given another policy");
    return std::nullopt;
  }
  const std::size_t end = std::min(value.find('\n'), value.size());
  return Given{value.substr(0, end), value.substr(std::min(end + 1, value.size()))};
}

void Handover::answer(Outcome outcome, const std::string& text) {
  cairn::formats::put_text(mailbox_->answer, text);
  mailbox_->outcome = outcome;
  mailbox_->answered.store(order_, std::memory_order_release);
}

}  // namespace policy
