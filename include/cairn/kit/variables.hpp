// SPDX-License-Identifier: BSD-3-Clause
// variables.hpp - a tool's own variables in the list of MPI_T, in C++ (a thin coat over variables.h)
//
//   cairn::Variables variables(self);                                       // in the tool's constructor, as a rule
//   variables.counter("calls", "calls of MPI", calls_);                     // a std::atomic
//   variables.timer("time", "seconds in MPI", [this] { return seconds(); });
//   variables.control("top", "rows in the table", top_);                    // a std::atomic: read and written
//   variables.text("title", "of the report", 80, [this] { return title(); }, [this](std::string text) {…});
//   variables.bound<MPI_Comm>(CAIRN_BIND_COMM, CAIRN_AGGREGATE, "bytes_to", "bytes sent to each rank", [](MPI_Comm
//   comm) {
//     return cairn::Elements<unsigned long>{size_of(comm), [comm](unsigned long* values) {…}};
//   });
//
// What a variable stands for, its units and its classes: variables.h. The type follows from the C++ type: int,
// unsigned, unsigned long, unsigned long long, long and long long (MPI_Count), double, char; bool is an int with the
// names off, on.
//
// Ownership: texts are copied; functions are kept until the process ends, and so must be what they refer to. Threads:
// add on any thread at any time; functions run on the threads that read, at once. Errors: a variable that cannot be
// offered is left out, and the user is told; where there is no engine for the MPI, nothing happens. Functions must not
// throw.

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
    static_assert(std::is_same_v<T, double>, "MPI_T knows no variables of this type");
    return CAIRN_DOUBLE;
  }
}

/// As MPI_T reads and writes it.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, int, T>;

inline constexpr cairn_item switch_items[] = {{0, "off"}, {1, "on"}};
inline constexpr cairn_enumeration switch_enumeration = {"switch", 2, switch_items};

/// A setter says with a bool whether it has taken the value, or why not with a cairn_answer.
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

/// The values of a handle: how many there are, and a function that writes them all. No elements: the object is refused.
template <class T>
struct Elements {
  int count;
  std::function<void(T*)> read;
};

/// What is seldom said of a variable.
struct VariableDetails {
  const char* category = nullptr;  // one that this tool has added; null: the one with the tool's name
  cairn_verbosity verbosity = CAIRN_USER_BASIC;
  int flags = 0;         // CAIRN_READONLY, CAIRN_CONTINUOUS, CAIRN_ATOMIC, CAIRN_FULL_NAME
  bool settable = true;  // control variables: false, and programs only read it
};

/// The values that a control variable takes; all others are refused, and so is what is no number.
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

  /// A category in another one of this tool's, or in the one with its name.
  void category(const char* name, const char* description, const char* parent = nullptr) const {
    const cairn_category made = {name, description, parent, 0};
    if (service_ != nullptr) service_->add_category(self_, &made);
  }

  /// Control variables that programs read and write, whoever they are: a value is kept, and then read again, or it is
  /// refused. Nothing else may come of a write, no file either, unless the user's options let programs do that; else
  /// `settable` is false. Values out of range are refused. With functions, `set` says whether it has taken the value:
  /// true or false (MPI_T_ERR_INVALID), or a cairn_answer, such as CAIRN_NOT_NOW.
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

  /// A control variable that is a text of at most `longest` bytes, the zero at its end included; longer ones are
  /// refused. `get` gives a std::string, which is cut to that, and `set` gets one and answers as above.
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

  /// A control variable that is only read.
  template <class Get>
  void setting(const char* name, const char* description, Get get, VariableDetails details = {}) const {
    using T = std::invoke_result_t<Get>;
    details.settable = false;
    offer_control(with_reader(kit::plain_variable<T>(name, description), std::move(get)), details);
  }

  /// Performance variables; the source is a std::atomic or a function without arguments.
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

  /// States by their names; the source tells the number of one, from 0 on.
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

  /// A performance variable with `count` elements, which `fill(T* values)` writes.
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

  /// A performance variable of the program's MPI objects: `open(object)` gives the Elements of one, once per handle.
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
