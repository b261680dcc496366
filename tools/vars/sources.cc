// SPDX-License-Identifier: BSD-3-Clause
// sources.cc - handles as variables and objects come and go; reading and comparing

#include "sources.hpp"

#include <algorithm>
#include <cstring>

namespace vars {

namespace {

/// The performance variables in a category and in those within it.
void add_members(int category, std::set<int>& found) {
  int control = 0;
  int performance = 0;
  int inner = 0;
  if (MPI_T_category_get_info(category, nullptr, nullptr, nullptr, nullptr, &control, &performance, &inner) !=
      MPI_SUCCESS)
    return;
  std::vector<int> indices(static_cast<std::size_t>(std::max(performance, inner)) + 1);
  if (performance > 0 && MPI_T_category_get_pvars(category, performance, indices.data()) == MPI_SUCCESS)
    found.insert(indices.begin(), indices.begin() + performance);
  if (inner > 0 && MPI_T_category_get_categories(category, inner, indices.data()) == MPI_SUCCESS)
    for (int i = 0; i < inner; ++i) add_members(indices[static_cast<std::size_t>(i)], found);
}

/// Those of the layers of the stack (docs/variables.md).
std::set<int> variables_of_tools() {
  std::set<int> found;
  int category = 0;
  if (MPI_T_category_get_index("cairn", &category) == MPI_SUCCESS) add_members(category, found);
  return found;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

}  // namespace

int Sources::start_interface(bool several) {
  int level = MPI_THREAD_MULTIPLE;
  int provided = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  is_shared_ = level == MPI_THREAD_MULTIPLE;
  if (several) level = MPI_THREAD_MULTIPLE;  // otherwise others may use MPI_T on the program's threads
  if (const int code = MPI_T_init_thread(level, &provided); code != MPI_SUCCESS) return code;
  threads_allowed_ = provided == MPI_THREAD_MULTIPLE;
  return MPI_T_pvar_session_create(&session_);
}

int Sources::start() {
  int has_world = 0;  // not in a program with sessions alone
  PMPI_Initialized(&has_world);
  for (const MPI_Comm each : {MPI_COMM_WORLD, MPI_COMM_SELF})
    if (has_world != 0) add_object(Bound::communicator, &each, sizeof each, true, nullptr);
  const int code = refresh();
  add_predefined();
  return code;
}

void Sources::finish() {
  for (Variable& variable : variables_) variable.value = 0;
  close_if([](const Source&) { return true; });
  MPI_T_pvar_session_free(&session_);
}

void Sources::leave() {
  for (Variable& variable : variables_) variable.value = 0;
  for (Source& source : sources_) {
    Reading reading;
    compare(source, 0, source.count, under_way_ ? source.before : source.after, reading);
    variables_[source.variable].value += reading.after;
    keep_parts(source);
  }
}

void Sources::keep_moved(unsigned calls) {
  const std::string why = "did not move in the first " + std::to_string(calls) + " calls that were read";
  for (Variable& variable : variables_) {
    if (variable.moved || variable.handles == 0 || variable.way == Way::raw) continue;
    variable.dropped = true;
    leave_out(why, variable.about.name);
  }
  close_if([this](const Source& source) { return variables_[source.variable].dropped; });
}

int Sources::refresh() {
  close_if([](const Source& source) { return source.error != MPI_SUCCESS; });
  try_again();
  int count = 0;
  if (const int code = MPI_T_pvar_get_num(&count); code != MPI_SUCCESS) return code;
  if (known_ < count) of_tools_ = variables_of_tools();
  for (; known_ < count; ++known_) take_in(known_);
  for (const int events = count_events(); known_events_ < events; ++known_events_) take_in_event(known_events_);
  return MPI_SUCCESS;
}

void Sources::take_in(int index) {
  Description about;
  if (const int code = describe_performance(index, about); code != MPI_SUCCESS)
    return leave_out("MPI_T_pvar_get_info answers " + name_of_code(code), "index " + std::to_string(index));
  if (is_own(about.name) || !choice_.includes(about)) return;
  if (const char* why = why_harmful(about.name)) return leave_out(why, about.name);
  if (type_of(about.type).size == 0) return leave_out("its type is none that MPI_T knows", about.name);
  follow(index, std::move(about));
}

void Sources::take_in_event(int index) {
  Description about;
  about.of_class = event_class;
  about.type = MPI_UNSIGNED_LONG;
  if (const int code = describe_event(index, about); code != MPI_SUCCESS)
    return leave_out("MPI_T_event_get_info answers " + name_of_code(code), "event " + std::to_string(index));
  if (choice_.includes(about)) follow(index, std::move(about));
}

void Sources::follow(int index, Description about) {
  if (!can_be_followed(about.binding))
    return leave_out("it is bound to objects that are not followed: datatypes, requests, messages", about.name);
  Variable variable;
  variable.index = index;
  variable.of_tool = about.of_class != event_class && of_tools_.contains(index);
  variable.way = way_of(about);
  std::string unused;
  variable.items = items_of(about.enumeration, unused);
  variable.about = std::move(about);
  variables_.push_back(std::move(variable));
  readings_.resize(variables_.size());
  const std::size_t number = variables_.size() - 1;
  const int binding = variables_[number].about.binding;
  if (binding == MPI_T_BIND_NO_OBJECT) return open(number, nullptr);
  for (std::size_t kind = 0; kind < bound_kinds; ++kind)
    if (is_bound_to(binding, static_cast<Bound>(kind))) is_wanted_[kind].store(true, std::memory_order_relaxed);
  for (ProgramObject& object : objects_)
    if (is_bound_to(binding, object.kind)) open(number, &object);
}

/// Of kinds that have variables; of those with MPI_COMM_WORLD in a program that has it.
void Sources::add_predefined() {
  for (const Predefined& one : predefined_objects()) {
    if (!wants(one.kind) || find(one.kind, one.bytes, one.size) != objects_.end()) continue;
    ProgramObject& known = objects_.emplace_back(one.kind, one.bytes, one.size);
    known.is_predefined = true;
    if (tells_apart_) known.name.name = one.name;
    open_all(known);
  }
}

void Sources::open_all(ProgramObject& object) {
  for (std::size_t i = 0; i < variables_.size(); ++i)
    if (is_bound_to(variables_[i].about.binding, object.kind)) open(i, &object);
}

void Sources::open(std::size_t number, ProgramObject* object) {
  if (variables_[number].dropped) return;
  if (std::string why = try_to_open(number, object); !why.empty()) refused_.push_back({number, object, std::move(why)});
}

void Sources::try_again() {
  std::erase_if(refused_, [this](Refused& one) {
    if (variables_[one.variable].dropped) return true;
    if (++one.tries <= most_tries) one.why = try_to_open(one.variable, one.object);
    return one.why.empty();
  });
}

std::string Sources::try_to_open(std::size_t number, ProgramObject* object) {
  Variable& variable = variables_[number];
  const auto is_inter = [&] { return object != nullptr && is_between_groups(*object, ranks_); };
  if (const char* why = why_harmful(variable.about.name, is_inter)) return why;
  Source source;
  source.variable = number;
  source.object = object;
  if (std::string why = open_handle(variable, object == nullptr ? nullptr : object->bytes, source); !why.empty())
    return why;
  int code = MPI_SUCCESS;
  if (source.events == nullptr && !variable.about.continuous) code = MPI_T_pvar_start(session_, source.handle);
  const std::size_t size = (source.count * type_of(variable.about.type).size + 15) / 16 * 16;
  for_sample_.resize(std::max(for_sample_.size(), size / sizeof(std::max_align_t) + 1));
  source.size = size;
  source.memory.reset(new std::byte[3 * size]());
  source.last = source.memory.get();
  source.before = source.last + size;
  source.after = source.before + size;
  source.only_at_end = variable.way == Way::raw;
  if (code == MPI_SUCCESS) code = read_now(source, source.after);
  if (code != MPI_SUCCESS) {
    close(source);
    return "MPI_T_pvar_start or _read answers " + name_of_code(code);
  }
  std::memcpy(source.before, source.after, size);  // a call may be under way on another thread
  std::memcpy(source.last, source.after, size);
  if (tells_apart_ && !source.only_at_end && (object != nullptr || source.count > 1))
    source.parts = parts_.make(variable.way, source.count);
  ++variable.handles;
  sources_.push_back(std::move(source));
  return {};
}

/// Of the variable or event, with the number of its elements.
std::string Sources::open_handle(const Variable& variable, void* object, Source& source) {
  const bool is_event = variable.about.of_class == event_class;
  int count = 1;
  const int code = is_event ? EventCounter::open(variable.index, object, source.events)
                            : MPI_T_pvar_handle_alloc(session_, variable.index, object, &source.handle, &count);
  if (code != MPI_SUCCESS)
    return (is_event ? "MPI_T_event_handle_alloc or _register_callback answers " : "MPI_T_pvar_handle_alloc answers ") +
           name_of_code(code);
  source.count = static_cast<std::size_t>(std::max(count, 0));
  if (count > 0) return {};
  close(source);
  return "it has no elements";
}

/// Once, also where each communicator brings the same.
void Sources::leave_out(const std::string& why, const std::string& name) { add_once(left_out_[why], name); }

std::map<std::string, std::vector<std::string>> Sources::left_out() const {
  auto all = left_out_;
  for (const Refused& one : refused_) add_once(all[one.why], variables_[one.variable].about.name);
  return all;
}

void Sources::close(Source& source) {
  if (source.events != nullptr) source.events->close();
  else MPI_T_pvar_handle_free(session_, &source.handle);
}

void Sources::close_if(auto condition) {
  std::erase_if(sources_, [&](Source& source) {
    if (!condition(source)) return false;
    settle(source);
    keep_parts(source);
    if (source.error != MPI_SUCCESS)
      leave_out("no longer: MPI_T_pvar_read answers " + name_of_code(source.error),
                variables_[source.variable].about.name);
    close(source);
    return true;
  });
}

std::list<ProgramObject>::iterator Sources::find(Bound kind, const void* handle, std::size_t size) {
  return std::ranges::find_if(objects_, [&](const ProgramObject& one) { return one.is(kind, handle, size); });
}

void Sources::add_object(Bound kind, const void* handle, std::size_t size, bool is_followed, const char* file) {
  if (find(kind, handle, size) != objects_.end()) return;
  const std::uint64_t number = ++objects_made_[static_cast<std::size_t>(kind)];
  if (!is_followed || objects_.size() >= most_objects) {
    ++objects_left_out_;
    return;
  }
  ProgramObject& made = objects_.emplace_back(kind, handle, size);
  made.number = number;
  if (tells_apart_) made.name = first_name(made, ranks_, file);
  open_all(made);
}

void Sources::rename_object(Bound kind, const void* handle, std::size_t size) {
  const auto object = find(kind, handle, size);
  if (tells_apart_ && object != objects_.end()) object->name = given_name(*object, ranks_);
}

void Sources::remove_object(Bound kind, const void* handle, std::size_t size) {
  const auto object = find(kind, handle, size);
  if (object == objects_.end() || object->is_predefined) return;
  close_if([&](const Source& source) { return source.object == &*object; });
  std::erase_if(refused_, [&](const Refused& one) {
    if (one.object == &*object) leave_out(one.why, variables_[one.variable].about.name);
    return one.object == &*object;
  });
  objects_.erase(object);
}

int Sources::read_now(const Source& source, std::byte* into) const {
  if (source.events == nullptr) return MPI_T_pvar_read(session_, source.handle, into);
  const unsigned long count = source.events->count();
  std::memcpy(into, &count, sizeof count);
  return MPI_SUCCESS;
}

void Sources::read(Source& source, std::byte* into) {
  if (source.error == MPI_SUCCESS) source.error = read_now(source, into);
}

void Sources::read_before() {
  for (Source& source : sources_) {
    if (source.only_at_end) continue;
    if (!under_way_) std::swap(source.last, source.after);
    read(source, source.before);
  }
  under_way_ = true;
}

void Sources::keep_as_before() {
  for (Source& source : sources_) {
    if (source.only_at_end) continue;
    std::swap(source.last, source.after);
    std::memcpy(source.before, source.last, source.size);
  }
  under_way_ = true;
}

void Sources::read_after(double seconds) {
  for (Reading& reading : readings_) reading = {};
  for (Source& source : sources_) {
    if (source.only_at_end) continue;
    read(source, source.after);
    if (source.error != MPI_SUCCESS) continue;
    compare(source, 0, source.count, source.after, readings_[source.variable]);
    compare_parts(source, source.after, [&](Part& part, const Reading& reading) {
      part.add(variables_[source.variable].way, reading, seconds);
      part.elsewhere += reading.elsewhere;
    });
  }
  under_way_ = false;
}

/// What has come since the last call that was read belongs to none.
void Sources::settle(Source& source) {
  if (!under_way_) std::swap(source.last, source.after);
  read(source, source.before);
  if (source.error != MPI_SUCCESS) return;
  Variable& variable = variables_[source.variable];
  Reading reading;
  compare(source, 0, source.count, source.before, reading);
  compare_parts(source, source.before, [](Part& part, const Reading& one) { part.elsewhere += one.elsewhere; });
  variable.elsewhere += reading.elsewhere;
  variable.resets += reading.resets;
  variable.value += reading.after;
  if (variable.way == Way::sum) variable.gone += reading.after;
  const auto* const text = reinterpret_cast<const char*>(source.before);
  if (variable.about.type == MPI_CHAR) variable.text.assign(text, strnlen(text, source.count));
}

void Sources::sample() {
  for (Variable& variable : variables_) {
    variable.present = variable.gone;
    variable.present_handles = 0;
  }
  auto* const values = reinterpret_cast<std::byte*>(for_sample_.data());
  for (Source& source : sources_) {
    Variable& variable = variables_[source.variable];
    if (!is_number(variable.about.type)) continue;
    read(source, values);
    if (source.error != MPI_SUCCESS) continue;
    ++variable.present_handles;
    with_number(variable.about.type, [&]<class T>(T /*type*/) {
      const T* const elements = reinterpret_cast<const T*>(values);
      for (std::size_t i = 0; i < source.count; ++i) variable.present += static_cast<double>(elements[i]);
    });
  }
}

void Sources::compare(const Source& source, std::size_t first, std::size_t count, const std::byte* after,
                      Reading& reading) const {
  with_number(variables_[source.variable].about.type, [&]<class T>(T /*type*/) {
    const auto at = [first](const std::byte* values) { return reinterpret_cast<const T*>(values) + first; };
    add_handle(variables_[source.variable].way, count, at(source.last), at(source.before), at(after), reading);
  });
}

void Sources::compare_parts(Source& source, const std::byte* after, auto use) {
  for (std::size_t i = 0; i < source.parts.size(); ++i) {
    Reading reading;
    compare(source, i, 1, after, reading);
    use(source.parts[i], reading);
  }
}

void Sources::keep_parts(Source& source) {
  if (source.parts.empty()) return;
  parts_.keep({source.variable, source.object != nullptr ? source.object->name : ObjectName{}}, source.count > 1,
              source.parts);
}

}  // namespace vars
