// SPDX-License-Identifier: BSD-3-Clause
// controls.cc - listing control variables, and carrying out orders

#include "controls.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "cairn/kit/own_work.hpp"

namespace steer {

namespace board = cairn::formats::steer;
using cairn::formats::put_text;

namespace {

bool can_be_set(const mpi_t::Description& about) {
  return about.scope != MPI_T_SCOPE_CONSTANT && about.scope != MPI_T_SCOPE_READONLY &&
         about.binding == MPI_T_BIND_NO_OBJECT && !about.name.starts_with("steer");
}

std::string names_of(const std::vector<mpi_t::EnumItem>& values) {
  std::string names;
  for (const mpi_t::EnumItem& value : values) names += (names.empty() ? "" : ", ") + value.name;
  return names;
}

}  // namespace

std::string Controls::start(const cairn::Self& self) {
  const cairn::OwnWork own;
  board_.create(cairn::board::controls, self.instance());
  constexpr auto what = static_cast<std::uint32_t>(board::Published::mailbox);
  void* const room = board_.add(what, 0, sizeof(Mailbox), [](void* made) { new (made) Mailbox{}; });
  int level = MPI_THREAD_SINGLE;
  int provided = 0;
  int count = 0;
  PMPI_Query_thread(&level);  // others may use MPI_T on the program's threads
  agreement_.start(self);
  agrees_ = true;
  if (MPI_T_init_thread(level, &provided) != MPI_SUCCESS) return "MPI_T cannot be started";
  if (room == nullptr) return "";
  MPI_T_cvar_get_num(&count);
  for (int i = 0; i < count; ++i) offer(i);
  clock_.anchor();
  refreshed_ = cairn::ticks_now();
  if (!controls_.empty()) refresh_ticks_ = static_cast<std::uint64_t>(refresh_s / clock_.seconds_per_tick());
  mailbox_.store(static_cast<Mailbox*>(room), std::memory_order_release);
  return "";
}

void Controls::finish() {
  const cairn::OwnWork own;
  lock();
  mailbox_.store(&nobody_);
  seen_ = 0;
  refresh_ticks_ = UINT64_MAX;
  controls_.clear();
  unlock();
  agrees_ = false;
  agreement_.finish();
  board_.remove();
}

void Controls::lock() {
  while (is_busy_.exchange(true, std::memory_order_acquire)) {
  }
}

void Controls::offer(int index) {
  mpi_t::Description about;
  if (mpi_t::describe_control(index, about) != MPI_SUCCESS || !can_be_set(about)) return;
  auto variable = std::make_unique<const mpi_t::ControlVariable>(about.name);
  if (variable->code() != MPI_SUCCESS) return;
  const std::optional<std::string> value = variable->read();
  if (!value || value->size() >= board::value_room) return;
  std::string texts;
  const std::string type(mpi_t::type_of(about.type).word);
  const std::string scope(mpi_t::word_of(mpi_t::scopes, about.scope));
  for (const std::string& text :
       {about.name, type, scope, about.text.substr(0, 2000), names_of(mpi_t::named_values(about))})
    texts.append(text).append(1, '\0');
  constexpr auto what = static_cast<std::uint32_t>(board::Published::control);
  void* const room = board_.add(what, 0, sizeof(Figures) + texts.size(), [&](void* made) {
    auto* const figures = new (made) Figures{};
    figures->only_together = mpi_t::must_agree(about.scope) ? 1 : 0;
    figures->put(*value);
    std::memcpy(static_cast<void*>(figures + 1), texts.data(), texts.size());
  });
  if (room != nullptr)
    controls_.push_back(
        {about.name, mpi_t::must_agree(about.scope), std::move(variable), *value, static_cast<Figures*>(room)});
}

/// One thread at a time; another one goes on.
[[gnu::noinline, gnu::cold]] void Controls::look() {
  if (is_busy_.exchange(true, std::memory_order_acquire)) return;
  const Order order = cairn::formats::copy_of_order(*mailbox_.load(std::memory_order_acquire));
  if (order.number != seen_.load(std::memory_order_relaxed)) {
    seen_.store(order.number, std::memory_order_relaxed);
    if (order.control >= controls_.size()) answer(order, Outcome::refused, "there is no such variable");
    else if (controls_[order.control].only_together) pending_ = order;
    else carry_out(order);
  }
  unlock();
}

/// Others may have set variables: the program, a policy, the library itself. More of them after a longer time, so that
/// also a program with few calls shows what they have.
[[gnu::noinline, gnu::cold]] void Controls::refresh() {
  if (is_busy_.exchange(true, std::memory_order_acquire)) return;
  const cairn::OwnWork own;
  const std::uint64_t now = cairn::ticks_now();
  const std::uint64_t due = (now - refreshed_.load(std::memory_order_relaxed)) / refresh_ticks_ * refreshed_at_once;
  refreshed_.store(now, std::memory_order_relaxed);
  for (std::uint64_t left = std::min<std::uint64_t>(due, controls_.size()); left > 0; --left)
    show(controls_[next_refreshed_++ % controls_.size()]);
  unlock();
}

void Controls::show(Control& control) {
  const std::string now = control.variable->read().value_or("?");
  if (now == control.shown) return;
  control.shown = now;
  control.figures->put(now);
}

/// All ranks have come to the same joint call: if all have the same order, all carry it out.
[[gnu::noinline, gnu::cold]] void Controls::agree() {
  const cairn::OwnWork own;
  lock();
  const Order order = std::exchange(pending_, {});
  const std::string wanted = order.number == 0 ? "" : controls_[order.control].name + "=" + order.value;
  unlock();
  const auto what = static_cast<double>(std::hash<std::string>()(wanted) >> 16U);
  const double asked = order.number == 0 ? 0 : 1;  // each rank numbers its own orders
  std::vector<double> numbers = {-asked, what, -what};
  agreement_.max(numbers);
  lock();
  if (numbers[0] > -1) {
    if (order.number != 0 && pending_.number == 0) pending_ = order;  // until all have it
  } else if (numbers[1] == -numbers[2]) {
    carry_out_together(order);
  } else {
    answer(order, Outcome::refused, "other ranks were told to set something else");
  }
  unlock();
}

Controls::Written Controls::write(const Control& control, const std::string& value) {
  return {control.variable->read().value_or(""), control.variable->write(value)};
}

void Controls::carry_out(const Order& order) {
  const cairn::OwnWork own;
  Control& control = controls_[order.control];
  const std::string why = write(control, order.value).why_not;
  show(control);
  answer(order, why.empty() ? Outcome::set : Outcome::refused, why.empty() ? control.shown : why);
}

/// If it is refused on one rank, all go back to what they had, as under a policy.
void Controls::carry_out_together(const Order& order) {
  Control& control = controls_[order.control];
  const Written written = write(control, order.value);
  const bool is_done = written.why_not.empty();
  if (!agreement_.any(!is_done)) {
    show(control);
    return answer(order, Outcome::set, control.shown);
  }
  std::string why = is_done ? "refused on another rank" : written.why_not;
  if (is_done)
    if (const std::string stays = control.variable->write(written.before); !stays.empty())
      why += ", but it cannot be set back to '" + written.before + "': " + stays;
  show(control);
  answer(order, Outcome::refused, why);
}

void Controls::answer(const Order& order, Outcome outcome, const std::string& text) {
  Mailbox& mailbox = *mailbox_.load(std::memory_order_acquire);
  put_text(mailbox.answer, text);
  mailbox.outcome = outcome;
  mailbox.answered.store(order.number, std::memory_order_release);
}

}  // namespace steer
