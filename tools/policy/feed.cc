// SPDX-License-Identifier: BSD-3-Clause
// feed.cc - where each kind of input comes from

#include "feed.hpp"

#include <algorithm>

namespace policy {

using Kind = cairn::policy::Input::Kind;

Slot& Feed::slot(const cairn::policy::Input& input) {
  const auto known = std::ranges::find_if(
      slots_, [&](const Slot& each) { return each.input.kind == input.kind && each.input.name == input.name; });
  if (known != slots_.end()) return *known;
  Slot& slot = slots_.emplace_back(Slot{input});
  if (input.kind == Kind::name) slot.variable = &library_.find(input.name);
  if (input.kind == Kind::calls || input.kind == Kind::time) slot.function = function_named(input.name);
  return slot;
}

void Feed::refresh(Slot& slot) {
  const auto number = [&](double value) { slot.value.numbers.assign(1, value); };
  switch (slot.input.kind) {
    case Kind::name:
      slot.value = library_.read(*slot.variable);
      return;
    case Kind::calls:
      return number(observed_.calls(slot.function));
    case Kind::time:
      return number(observed_.time_s(slot.function));
    case Kind::elapsed:
      return number(observed_.elapsed_s());
    case Kind::rank:
      return number(observed_.rank);
    case Kind::ranks:
      return number(observed_.ranks);
    case Kind::phase:
      slot.value.is_text = true;
      slot.value.text = observed_.phase();
  }
}

}  // namespace policy
