// SPDX-License-Identifier: BSD-3-Clause
// controls.cc - listing control variables, and carrying out orders

#include "controls.hpp"

#include <cstring>
#include <functional>
#include <optional>
#include <string_view>

#include "cairn/kit/own_work.hpp"
#include "shared/control_variable.hpp"

namespace steer {

namespace board = cairn::formats::steer;
using cairn::formats::put_text;

namespace {

bool can_be_set(const mpi_t::Description& about) {
  return about.scope != MPI_T_SCOPE_CONSTANT && about.scope != MPI_T_SCOPE_READONLY &&
         about.binding == MPI_T_BIND_NO_OBJECT && !about.name.starts_with("steer");
}

bool is_only_together(int scope) {
  return scope != MPI_T_SCOPE_LOCAL && scope != MPI_T_SCOPE_GROUP && scope != MPI_T_SCOPE_ALL;
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
  mailbox_.store(static_cast<Mailbox*>(room), std::memory_order_release);
  return "";
}

void Controls::finish() {
  mailbox_.store(&nobody_);
  seen_ = 0;
  agrees_ = false;
  agreement_.finish();
  board_.remove();
}

void Controls::offer(int index) {
  mpi_t::Description about;
  if (mpi_t::describe_control(index, about) != MPI_SUCCESS || !can_be_set(about)) return;
  const mpi_t::ControlVariable variable(about.name);
  if (variable.code() != MPI_SUCCESS) return;
  const std::optional<std::string> value = variable.read();
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
    figures->only_together = is_only_together(about.scope) ? 1 : 0;
    put_text(figures->value, *value);
    std::memcpy(static_cast<void*>(figures + 1), texts.data(), texts.size());
  });
  if (room != nullptr) controls_.push_back({about.name, static_cast<Figures*>(room)});
}

/// One thread at a time; another one goes on.
[[gnu::noinline, gnu::cold]] void Controls::look() {
  if (is_busy_.exchange(true, std::memory_order_acquire)) return;
  Mailbox& mailbox = *mailbox_.load(std::memory_order_acquire);
  const std::uint64_t order = mailbox.asked.load(std::memory_order_acquire);
  if (order != seen_.load(std::memory_order_relaxed)) {
    seen_.store(order, std::memory_order_relaxed);
    if (mailbox.control >= controls_.size()) answer(order, Outcome::refused, "there is no such variable");
    else if (controls_[mailbox.control].figures->only_together != 0) pending_.store(order, std::memory_order_relaxed);
    else carry_out(order);
  }
  is_busy_.store(false, std::memory_order_release);
}

/// All ranks have come to the same joint call: if all have the same order, all carry it out.
[[gnu::noinline, gnu::cold]] void Controls::agree() {
  const cairn::OwnWork own;
  const Mailbox& mailbox = *mailbox_.load(std::memory_order_acquire);
  const std::uint64_t order = pending_.load(std::memory_order_relaxed);
  const std::string wanted = order == 0 ? "" : controls_[mailbox.control].name + "=" + board::text_in(mailbox.value);
  const auto what = static_cast<double>(std::hash<std::string>()(wanted) >> 16U);
  const double asked = order == 0 ? 0 : 1;  // each rank numbers its own orders
  std::vector<double> numbers = {-asked, what, -what};
  agreement_.max(numbers);
  if (numbers[0] > -1) return;
  const bool is_one = numbers[1] == -numbers[2];
  while (is_busy_.exchange(true, std::memory_order_acquire)) {
  }
  if (is_one) carry_out(order);
  else answer(order, Outcome::refused, "other ranks were told to set something else");
  pending_.store(0, std::memory_order_relaxed);
  is_busy_.store(false, std::memory_order_release);
}

void Controls::carry_out(std::uint64_t order) {
  const cairn::OwnWork own;
  const Mailbox& mailbox = *mailbox_.load(std::memory_order_acquire);
  const Control& control = controls_[mailbox.control];
  const mpi_t::ControlVariable variable(control.name);
  const std::string why = variable.code() == MPI_SUCCESS
                              ? variable.write(board::text_in(mailbox.value))
                              : "asking for it returned " + mpi_t::name_of_code(variable.code());
  const std::optional<std::string> now = variable.code() == MPI_SUCCESS ? variable.read() : std::nullopt;
  if (now) put_text(control.figures->value, *now);
  answer(order, why.empty() ? Outcome::set : Outcome::refused, why.empty() ? now.value_or("?") : why);
}

void Controls::answer(std::uint64_t order, Outcome outcome, const std::string& text) {
  Mailbox& mailbox = *mailbox_.load(std::memory_order_acquire);
  put_text(mailbox.answer, text);
  mailbox.outcome = outcome;
  mailbox.answered.store(order, std::memory_order_release);
}

}  // namespace steer
