// SPDX-License-Identifier: BSD-3-Clause
// offers.cc - the service "cairn.variables": what a tool offers is checked, put into this MPI's terms and kept.

#include <mpi.h>

#include <mutex>
#include <string>

#include "cairn/kit/mpi_t_terms.hpp"
#include "variables/class_rules.hpp"
#include "variables/registry.hpp"

namespace cairn::engine {

namespace {

constexpr const char* control = "control variable";
constexpr const char* performance = "performance variable";

/// A reason not to take something; thrown and caught in this file.
struct Reason {
  std::string text;
};

/// By value, as a table may be a passing one.
template <class Table>
auto look_up(const Table& table, unsigned number, const char* what) {
  if (number >= table.size())
    throw Reason{std::string("unknown ") + what + " " + std::to_string(static_cast<int>(number))};
  return table[number];
}

std::string full_name(const cairn_tool_instance& self, const char* name, int flags) {
  if ((flags & CAIRN_FULL_NAME) != 0) return name;
  return registry().layer_name(self.level) + "_" + name;
}

Category* find_category(const cairn_tool_instance& self, const char* name) {
  if (name == nullptr) return &registry().layer_category(self.level);
  const std::string prefixed = full_name(self, name, 0);
  for (const std::string& wanted : {prefixed, std::string(name)}) {
    Category* const found =
        find_own(registry().categories(), wanted, [&](const Category& category) { return category.owner == &self; });
    if (found != nullptr) return found;
  }
  throw Reason{std::string("the tool has no category '") + name + "'"};
}

Enumeration* make_enumeration(const cairn_enumeration* from, cairn_type type) {
  if (from == nullptr) return nullptr;
  if (type != CAIRN_INT) throw Reason{"only values of type int can have an enumeration"};
  Enumeration made{from->name != nullptr ? from->name : "", {}};
  for (int i = 0; i < from->count; ++i) made.items.emplace_back(from->items[i].value, from->items[i].name);
  Enumeration* const kept = Handles::make<Enumeration>(std::move(made));
  if (kept == nullptr) throw Reason{"there is no room for another enumeration"};
  return kept;
}

/// What both kinds have in common.
Variable translate(const cairn_tool_instance& self, const cairn_variable& from, std::string name) {
  Variable made = {};
  made.owner = &self;
  made.name = std::move(name);
  made.description = from.description != nullptr ? from.description : "";
  made.facts = from;
  made.facts.count = from.count == 0 ? 1 : from.count;
  if (from.read == nullptr) throw Reason{"it has no function 'read'"};
  if (from.count < 0) throw Reason{"it has " + std::to_string(from.count) + " elements"};
  const mpi_t::Type type = look_up(mpi_t::types(), from.type, "type");
  made.type = type.type;
  made.element_size = type.size;
  made.binding = look_up(mpi_t::bindings, from.binding, "binding").number;
  if (made.binding == mpi_t::not_in_this_mpi)
    throw Reason{"this MPI library has no variables that are bound to a session"};
  if (made.binding != MPI_T_BIND_NO_OBJECT && from.open == nullptr)
    throw Reason{"it is bound to an object, but has no function 'open'"};
  made.verbosity = look_up(mpi_t::verbosities, from.verbosity, "verbosity").number;
  return made;
}

Variable translate_control(const cairn_tool_instance& self, const cairn_variable& from, const std::string& name) {
  Variable made = translate(self, from, name);
  made.kind = look_up(mpi_t::scopes, from.scope, "scope").number;
  if (from.name == std::string_view("active") && (from.flags & CAIRN_FULL_NAME) == 0)
    throw Reason{"Cairn itself offers one of that name for every layer"};
  if (const Variable* taken = find_own(registry().controls(), name)) throw Reason{taken_by(*taken)};
  return made;
}

Variable translate_performance(const cairn_tool_instance& self, const cairn_variable& from, const std::string& name) {
  Variable made = translate(self, from, name);
  const mpi_t::Term of = look_up(mpi_t::classes, from.variable_class, "class");
  made.kind = of.number;
  made.starts_by_itself = from.start != nullptr || from.stop != nullptr || from.reset != nullptr;
  if ((class_rules[from.variable_class].types & type_bit(from.type)) == 0)
    throw Reason{"variables of class " + std::string(of.word) + " cannot have the type " +
                 std::string(mpi_t::types()[from.type].word)};
  const auto same_class = [&](const Variable& other) { return other.kind == made.kind; };
  if (const Variable* taken = find_own(registry().performances(), name, same_class)) throw Reason{taken_by(*taken)};
  return made;
}

template <class Translate>
int add_variable(const cairn_tool_instance* self, const cairn_variable* from, const char* what, List<Variable>& list,
                 std::vector<const Variable*> Category::*members, Translate translated) noexcept {
  Registry& all = registry();
  const std::lock_guard guard(all.lock());
  std::string name;
  try {
    if (from->name == nullptr || *from->name == '\0') throw Reason{"it has no name"};
    name = full_name(*self, from->name, from->flags);
    Variable made = translated(*self, *from, name);
    if ((from->flags & CAIRN_YIELD_NAME) != 0) made.other = full_name(*self, from->name, 0);
    Category& category = *find_category(*self, from->category);
    made.enumeration = make_enumeration(from->enumeration, from->type);
    (category.*members).push_back(&list.add(std::move(made)));
    all.mark_used();
    return 0;
  } catch (const Reason& reason) {
    say_refused(self, what, name, reason.text);
  } catch (const std::exception& error) {
    say_refused(self, what, name, error.what());
  }
  return 1;
}

int add_control(const cairn_tool_instance* self, const cairn_variable* variable) {
  return add_variable(self, variable, control, registry().controls(), &Category::controls, translate_control);
}

int add_performance(const cairn_tool_instance* self, const cairn_variable* variable) {
  return add_variable(self, variable, performance, registry().performances(), &Category::performances,
                      translate_performance);
}

int add_category(const cairn_tool_instance* self, const cairn_category* from) {
  Registry& all = registry();
  const std::lock_guard guard(all.lock());
  std::string name;
  try {
    if (from->name == nullptr || *from->name == '\0') throw Reason{"it has no name"};
    name = full_name(*self, from->name, from->flags);
    if (const Category* taken = find_own(all.categories(), name)) throw Reason{taken_by(*taken)};
    Category& parent = *find_category(*self, from->parent);
    const char* const description = from->description != nullptr ? from->description : "";
    parent.inner.push_back(&all.categories().add({{self, name, description}, {}, {}, {}}));
    all.mark_used();
    return 0;
  } catch (const Reason& reason) {
    say_refused(self, "category", name, reason.text);
  } catch (const std::exception& error) {
    say_refused(self, "category", name, error.what());
  }
  return 1;
}

}  // namespace

constinit const cairn_variables variables_service = {add_control, add_performance, add_category};

}  // namespace cairn::engine
