// SPDX-License-Identifier: BSD-3-Clause
// variables.hpp - adds a tool's variables to those of MPI_T, in C++ (a thin wrapper of variables.h)
//
//   cairn::Variables variables(self);                                       // usually in the tool's constructor
//   variables.counter("calls", "calls of MPI", calls_);                     // a std::atomic
//   variables.timer("time", "seconds in MPI", [this] { return seconds(); });
//   variables.control("top", "rows in the table", top_);                    // a std::atomic: read and written
//   variables.text("title", "of the report", 80, [this] { return title(); }, [this](std::string text) {…});
//   variables.bound<MPI_Comm>(CAIRN_BIND_COMM, CAIRN_AGGREGATE, "bytes_to", "bytes sent to each rank",
//     [](MPI_Comm comm) {
//       return cairn::Elements<unsigned long>{size_of(comm), [comm](unsigned long* values) {…}};
//     });
//
// See variables.h for the meaning, units and classes of variables. The MPI type follows from the C++ type: int,
// unsigned, unsigned long, unsigned long long, long and long long (MPI_Count), double, char; bool becomes an int with
// the names off, on.
//
// Ownership: strings are copied; functions are kept until the process ends, so what they refer to must live as long.
// Threads:   variables may be added on any thread at any time; functions run on the threads that read, concurrently.
// Errors:    a variable that cannot be added is left out, and the user is told; without an engine for the MPI, nothing
//            happens. Functions must not throw.

#pragma once

#include <atomic>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cairn/kit/self.hpp"
#include "cairn/variables.h"

namespace cairn {

namespace kit {

template <class T>
constexpr cairn_type variable_type() {
  if constexpr (std::is_same_v<T, int> || std::is_same_v<T, bool>) return CAIRN_INT;
  else if constexpr (std::is_same_v<T, unsigned>) return CAIRN_UNSIGNED;
  else if constexpr (std::is_same_v<T, unsigned long>) return CAIRN_UNSIGNED_LONG;
  else if constexpr (std::is_same_v<T, unsigned long long>) return CAIRN_UNSIGNED_LONG_LONG;
  else if constexpr (std::is_same_v<T, long> || std::is_same_v<T, long long>) return CAIRN_COUNT;
  else if constexpr (std::is_same_v<T, char>) return CAIRN_CHAR;
  else {
    static_assert(std::is_same_v<T, double>, "MPI_T allows no variables of this type");
    return CAIRN_DOUBLE;
  }
}

/// The representation in MPI_T.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, int, T>;

inline constexpr cairn_item switch_items[] = {{0, "off"}, {1, "on"}};
inline constexpr cairn_enumeration switch_enumeration = {"switch", 2, switch_items};

/// A setter returns a bool, whether it has accepted the value, or a cairn_answer.
inline int answer_of(bool taken) { return taken ? CAIRN_DONE : CAIRN_REFUSED; }
inline int answer_of(cairn_answer answer) { return answer; }

template <class T>
cairn_variable plain_variable(const char* name, const char* description) {
  cairn_variable made = {};
  made.name = name;
  made.description = description;
  made.type = variable_type<T>();
  if constexpr (std::is_same_v<T, bool>) made.enumeration = &switch_enumeration;
  return made;
}

}  // namespace kit

/// The values of a handle: their number, and a function that stores all of them. No elements: the object is refused.
template <class T>
struct Elements {
  int count;
  std::function<void(T*)> read;
};

/// Less common attributes of a variable.
struct VariableDetails {
  const char* category = nullptr;  // one that this tool has added; null: the one named after the tool
  cairn_verbosity verbosity = CAIRN_USER_BASIC;
  int flags = 0;         // CAIRN_READONLY, CAIRN_CONTINUOUS, CAIRN_ATOMIC, CAIRN_FULL_NAME
  bool settable = true;  // control variables; false: programs can only read it
};

/// The values that a control variable accepts; all others are refused, and so is NaN.
template <class T>
struct Range {
  T least = std::numeric_limits<T>::lowest();
  T most = std::numeric_limits<T>::max();
  bool has(T value) const { return value >= least && value <= most; }
};

class Variables {
 public:
  explicit Variables(Self self)
      : self_(&self.raw()),
        service_(static_cast<const cairn_variables*>(self_->find(self_, CAIRN_VARIABLES, CAIRN_VARIABLES_VERSION))) {}

  /// A category in another one of this tool, or in the one named after the tool.
  void category(const char* name, const char* description, const char* parent = nullptr) const {
    const cairn_category made = {name, description, parent, 0};
    if (service_ != nullptr) service_->add_category(self_, &made);
  }

  /// Control variables. Any program may write them: a value is either stored, so that it can be read again, or
  /// refused. A write must have no other effect, such as a file, unless an option lets programs do that; otherwise
  /// `settable` is false. Values out of range are refused. `set` returns whether it has accepted the value:
  /// true, false (MPI_T_ERR_INVALID), or a cairn_answer such as CAIRN_NOT_NOW.
  template <class T>
  void control(const char* name, const char* description, std::atomic<T>& value, Range<std::type_identity_t<T>> range,
               VariableDetails details = {}) const {
    control(
        name, description, [&value] { return value.load(std::memory_order_relaxed); },
        [&value, range](T wanted) {
          if (range.has(wanted)) value.store(wanted, std::memory_order_relaxed);
          return range.has(wanted);
        },
        details);
  }
  template <class T>
  void control(const char* name, const char* description, std::atomic<T>& value, VariableDetails details = {}) const {
    control(name, description, value, Range<T>{}, details);
  }
  template <class Get, class Set>
  requires std::is_invocable_v<Get&>
  void control(const char* name, const char* description, Get get, Set set, VariableDetails details = {}) const {
    using T = std::invoke_result_t<Get>;
    cairn_variable made = kit::plain_variable<T>(name, description);
    made.context = new std::pair<Get, Set>(std::move(get), std::move(set));
    made.read = [](void* bound, void* value) -> int {
      *static_cast<kit::Stored<T>*>(value) = static_cast<std::pair<Get, Set>*>(bound)->first();
      return CAIRN_DONE;
    };
    made.write = [](void* bound, const void* value) -> int {
      const auto wanted = *static_cast<const kit::Stored<T>*>(value);
      return kit::answer_of(static_cast<std::pair<Get, Set>*>(bound)->second(static_cast<T>(wanted)));
    };
    offer_control(made, details);
  }

  /// A control variable that is a string of at most `longest` bytes, including the terminating zero; longer ones are
  /// refused. `get` returns a std::string, which is truncated to that; `set` gets one and returns as above.
  template <class Get, class Set>
  void text(const char* name, const char* description, std::size_t longest, Get get, Set set,
            VariableDetails details = {}) const {
    struct Text {
      std::size_t longest;
      Get get;
      Set set;
    };
    cairn_variable made = kit::plain_variable<char>(name, description);
    made.count = static_cast<int>(longest);
    made.context = new Text{longest, std::move(get), std::move(set)};
    made.read = [](void* bound, void* value) -> int {
      Text& text = *static_cast<Text*>(bound);
      auto* const out = static_cast<char*>(value);
      out[text.get().copy(out, text.longest - 1)] = '\0';
      return CAIRN_DONE;
    };
    made.write = [](void* bound, const void* value) -> int {
      return kit::answer_of(static_cast<Text*>(bound)->set(std::string(static_cast<const char*>(value))));
    };
    offer_control(made, details);
  }

  /// A read-only control variable.
  template <class Get>
  void setting(const char* name, const char* description, Get get, VariableDetails details = {}) const {
    using T = std::invoke_result_t<Get>;
    details.settable = false;
    offer_control(with_reader(kit::plain_variable<T>(name, description), std::move(get)), details);
  }

  /// Performance variables; the source is a std::atomic or a function without parameters.
  template <class Source>
  void performance(cairn_class variable_class, const char* name, const char* description, Source&& source,
                   VariableDetails details = {}) const {
    if constexpr (std::is_invocable_v<Source&>) {
      using T = std::invoke_result_t<Source&>;
      cairn_variable made = kit::plain_variable<T>(name, description);
      made.variable_class = variable_class;
      offer(with_reader(made, std::decay_t<Source>(std::forward<Source>(source))), details,
            &cairn_variables::add_performance);
    } else {
      performance(
          variable_class, name, description, [&source] { return source.load(std::memory_order_relaxed); }, details);
    }
  }
  template <class Source>
  void counter(const char* name, const char* description, Source&& source, VariableDetails details = {}) const {
    performance(CAIRN_COUNTER, name, description, std::forward<Source>(source), details);
  }
  template <class Source>
  void aggregate(const char* name, const char* description, Source&& source, VariableDetails details = {}) const {
    performance(CAIRN_AGGREGATE, name, description, std::forward<Source>(source), details);
  }
  template <class Source>
  void timer(const char* name, const char* description, Source&& source, VariableDetails details = {}) const {
    performance(CAIRN_TIMER, name, description, std::forward<Source>(source), details);
  }
  template <class Source>
  void level(const char* name, const char* description, Source&& source, VariableDetails details = {}) const {
    performance(CAIRN_LEVEL, name, description, std::forward<Source>(source), details);
  }

  /// A state; the source returns the index of its name, from 0.
  template <class Source>
  void state(const char* name, const char* description, std::initializer_list<const char*> names, Source&& source,
             VariableDetails details = {}) const {
    std::vector<cairn_item> items;
    for (const char* each : names) items.push_back({static_cast<int>(items.size()), each});
    const cairn_enumeration enumeration = {name, static_cast<int>(items.size()), items.data()};
    cairn_variable made = kit::plain_variable<int>(name, description);
    made.variable_class = CAIRN_STATE;
    made.enumeration = &enumeration;
    auto read = [&] {
      if constexpr (std::is_invocable_v<Source&>) return std::decay_t<Source>(std::forward<Source>(source));
      else return [&source] { return source.load(std::memory_order_relaxed); };
    }();
    offer(with_reader(made, std::move(read)), details, &cairn_variables::add_performance);
  }

  /// A performance variable with `count` elements, which `fill(T* values)` stores.
  template <class T, class Fill>
  void array(cairn_class variable_class, const char* name, const char* description, int count, Fill fill,
             VariableDetails details = {}) const {
    cairn_variable made = kit::plain_variable<T>(name, description);
    made.variable_class = variable_class;
    made.count = count;
    made.context = new Fill(std::move(fill));
    made.read = [](void* bound, void* value) -> int {
      (*static_cast<Fill*>(bound))(static_cast<T*>(value));
      return CAIRN_DONE;
    };
    offer(made, details, &cairn_variables::add_performance);
  }

  /// A performance variable bound to MPI objects: `open(object)` returns the Elements of one, once per handle.
  template <class Object, class Open>
  void bound(cairn_binding binding, cairn_class variable_class, const char* name, const char* description, Open open,
             VariableDetails details = {}) const {
    using Values = std::invoke_result_t<Open&, Object>;
    using T = typename decltype(element_of(std::declval<Values>()))::type;
    cairn_variable made = kit::plain_variable<T>(name, description);
    made.variable_class = variable_class;
    made.binding = binding;
    made.context = new Open(std::move(open));
    made.open = [](void* context, void* object, void** bound, int* count) -> int {
      if (object == nullptr) return CAIRN_REFUSED;
      Values values = (*static_cast<Open*>(context))(*static_cast<Object*>(object));
      if (values.count < 1) return CAIRN_REFUSED;
      *count = values.count;
      *bound = new Values(std::move(values));
      return CAIRN_DONE;
    };
    made.close = [](void* bound) { delete static_cast<Values*>(bound); };
    made.read = [](void* bound, void* value) -> int {
      static_cast<Values*>(bound)->read(static_cast<T*>(value));
      return CAIRN_DONE;
    };
    offer(made, details, &cairn_variables::add_performance);
  }

 private:
  template <class T>
  static std::type_identity<T> element_of(const Elements<T>&);

  template <class Get>
  static cairn_variable with_reader(cairn_variable made, Get get) {
    using T = std::invoke_result_t<Get&>;
    made.context = new Get(std::move(get));
    made.read = [](void* bound, void* value) -> int {
      *static_cast<kit::Stored<T>*>(value) = (*static_cast<Get*>(bound))();
      return CAIRN_DONE;
    };
    return made;
  }

  void offer_control(cairn_variable made, const VariableDetails& details) const {
    made.scope = details.settable ? CAIRN_SCOPE_LOCAL : CAIRN_SCOPE_READONLY;
    offer(made, details, &cairn_variables::add_control);
  }
  void offer(cairn_variable made, const VariableDetails& details,
             int (*cairn_variables::*add)(const cairn_tool_instance*, const cairn_variable*)) const {
    made.category = details.category;
    made.verbosity = details.verbosity;
    made.flags = details.flags;
    if (service_ != nullptr) (service_->*add)(self_, &made);
  }

  const cairn_tool_instance* self_;
  const cairn_variables* service_;
};

}  // namespace cairn
