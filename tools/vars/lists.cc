// SPDX-License-Identifier: BSD-3-Clause
// lists.cc - a program of its own, started by `cairn vars`: asks its MPI library for all that MPI_T offers, as JSON
//
//   vars-lists FD [before]        writes to the open descriptor FD; "before": MPI is not initialized
//
// Values are read in child processes, since reading some variables crashes some libraries: that costs such a variable
// its value and no more. MPI_T is left initialized (MPICH up to 5.0.1 does not survive its end), and MPI is finalized
// by the PMPI name, so that tools in the stack write no results.

#include <mpi.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "formats/tags.hpp"
#include "reading_apart.hpp"
#include "shared/mpi_t.hpp"

namespace {

using Json = nlohmann::ordered_json;

bool mpi_is_up = false;

/// What a value is bound to: the address of the object, null for none. False: there is no object of that kind at hand.
bool object_for(int binding, void*& object) {
  static MPI_Comm world = MPI_COMM_WORLD;
  object = binding == MPI_T_BIND_MPI_COMM ? &world : nullptr;
  return binding == MPI_T_BIND_NO_OBJECT || (binding == MPI_T_BIND_MPI_COMM && mpi_is_up);
}

template <class T>
Json numbers(const std::vector<std::byte>& bytes, int count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  if (count == 1) return values.front();
  return values;
}

Json to_json(const std::vector<std::byte>& bytes, MPI_Datatype type, int count) {
  if (type == MPI_CHAR) {
    const auto* const text = reinterpret_cast<const char*>(bytes.data());
    return std::string(text, strnlen(text, static_cast<std::size_t>(count)));
  }
  if (type == MPI_C_BOOL && count == 1) return bytes.front() != std::byte{0};
  if (type == MPI_INT) return numbers<int>(bytes, count);
  if (type == MPI_UNSIGNED) return numbers<unsigned>(bytes, count);
  if (type == MPI_DOUBLE) return numbers<double>(bytes, count);
  if (type == MPI_COUNT) return numbers<long long>(bytes, count);
  if (type == MPI_C_BOOL) return numbers<unsigned char>(bytes, count);
  return numbers<unsigned long long>(bytes, count);
}

std::string answer(const std::string& function, int code) { return function + " answers " + mpi_t::name_of_code(code); }

Json defect(const std::string& function, int code) { return {{"defect", answer(function, code)}}; }

/// Room for a value, with some to spare: a library that miscounts does not write elsewhere.
std::vector<std::byte> room(MPI_Datatype type, int count) {
  return std::vector<std::byte>(mpi_t::type_of(type).size * static_cast<std::size_t>(std::max(count, 1)) + 4096);
}

Json read_control(int index, const mpi_t::Description& of) {
  void* object = nullptr;
  if (!object_for(of.binding, object) || mpi_t::type_of(of.type).size == 0) return Json::object();
  if (const char* const why = mpi_t::why_harmful_control(of.name)) return {{"defect", why}};
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int count = 0;
  if (const int code = MPI_T_cvar_handle_alloc(index, object, &handle, &count); code != MPI_SUCCESS)
    return defect("MPI_T_cvar_handle_alloc", code);
  std::vector<std::byte> bytes = room(of.type, count);
  const int code = MPI_T_cvar_read(handle, bytes.data());
  MPI_T_cvar_handle_free(&handle);
  if (code != MPI_SUCCESS) return defect("MPI_T_cvar_read", code);
  return {{"count", count}, {"value", to_json(bytes, of.type, count)}};
}

/// A library that says it can read and reset in one step must be able to.
Json check_atomic(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const mpi_t::Description& of, Json found,
                  std::vector<std::byte>& bytes) {
  if (!of.atomic) return found;
  if (const int code = MPI_T_pvar_readreset(session, handle, bytes.data()); code != MPI_SUCCESS)
    found.update(defect("MPI_T_pvar_readreset", code));
  return found;
}

Json read_performance(int index, const mpi_t::Description& of) {
  void* object = nullptr;
  if (!object_for(of.binding, object) || mpi_t::type_of(of.type).size == 0) return Json::object();
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  int count = 0;
  if (const int code = MPI_T_pvar_session_create(&session); code != MPI_SUCCESS)
    return defect("MPI_T_pvar_session_create", code);
  if (const int code = MPI_T_pvar_handle_alloc(session, index, object, &handle, &count); code != MPI_SUCCESS)
    return defect("MPI_T_pvar_handle_alloc", code);
  if (!of.continuous)
    if (const int code = MPI_T_pvar_start(session, handle); code != MPI_SUCCESS)
      return defect("MPI_T_pvar_start", code);
  std::vector<std::byte> bytes = room(of.type, count);
  if (const int code = MPI_T_pvar_read(session, handle, bytes.data()); code != MPI_SUCCESS)
    return defect("MPI_T_pvar_read", code);
  const Json found = {{"count", count}, {"value", to_json(bytes, of.type, count)}};
  return check_atomic(session, handle, of, found, bytes);
}

/// Everything that is listed, and what has to be remembered of it for categories and enumerations.
class Lists {
 public:
  Json all() {
    Json out = {{"format", cairn::formats::variables_tag.text()}, {"mpi", library()}, {"after_init", mpi_is_up}};
    out["control_variables"] = variables(control_);
    out["performance_variables"] = variables(performance_);
    out["categories"] = categories();
    out["events"] = events();
    out["enumerations"] = Json::array();
    for (auto& [name, entry] : enumerations_) out["enumerations"].push_back(std::move(entry));
    out["defects"] = std::move(defects_);
    return out;
  }

 private:
  struct Kind {
    const char* word;
    const char* get_num;
    const char* get_info;
    int (*count)(int*);
    int (*describe)(int, mpi_t::Description&);
    Json (*read)(int, const mpi_t::Description&);
    std::vector<std::string> names{};  // by index
  };

  static std::string library() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(text, &length);
    return text;
  }

  int number_of(const char* kind, const std::string& function, int (*get)(int*)) {
    int count = 0;
    const int code = get(&count);
    if (code != MPI_SUCCESS) add_defect(kind, answer(function, code), {});
    return code == MPI_SUCCESS ? count : 0;
  }

  Json variables(Kind& kind) {
    const int count = number_of(kind.word, kind.get_num, kind.count);
    kind.names.resize(static_cast<std::size_t>(count));
    std::vector<mpi_t::Description> all(kind.names.size());
    std::vector<int> good;
    for (int i = 0; i < count; ++i) {
      mpi_t::Description& one = all[static_cast<std::size_t>(i)];
      const int code = kind.describe(i, one);
      if (code == MPI_SUCCESS) good.push_back(i);
      else add_defect(kind.word, answer(kind.get_info, code), i);
      if (code == MPI_SUCCESS) kind.names[static_cast<std::size_t>(i)] = one.name;
    }
    const auto at = [&](std::size_t i) -> const mpi_t::Description& { return all[static_cast<std::size_t>(good[i])]; };
    const std::vector<Json> values =
        vars::read_apart(good.size(), [&](std::size_t i) { return kind.read(good[i], at(i)); });
    Json out = Json::array();
    for (std::size_t i = 0; i < good.size(); ++i) {
      out.push_back(entry(good[i], at(i), &kind == &performance_));
      out.back().update(values[i]);
    }
    return out;
  }

  Json entry(int index, const mpi_t::Description& of, bool performance) {
    Json out = {{"name", of.name}, {"index", index}, {"type", mpi_t::type_of(of.type).word}};
    if (performance) out["class"] = mpi_t::word_of(mpi_t::classes, of.of_class);
    else out["scope"] = mpi_t::word_of(mpi_t::scopes, of.scope);
    out["binding"] = mpi_t::word_of(mpi_t::bindings, of.binding);
    out["verbosity"] = mpi_t::word_of(mpi_t::verbosities, of.verbosity);
    if (performance) {
      out["readonly"] = of.readonly;
      out["continuous"] = of.continuous;
      out["atomic"] = of.atomic;
    }
    out["description"] = of.text;
    if (mpi_t::type_of(of.type).size == 0) out["defect"] = "its type is none that the standard allows";
    if (const std::string enumeration = remember(of.enumeration, of.name, index); !enumeration.empty())
      out["enumeration"] = enumeration;
    return out;
  }

  /// The enumeration's name; one without a name is called after its variable.
  std::string remember(MPI_T_enum enumeration, const std::string& variable, int index) {
    std::string name;
    const std::vector<mpi_t::EnumItem> items = mpi_t::items_of(enumeration, name);
    if (items.empty() && enumeration != MPI_T_ENUM_NULL)
      add_defect("enumeration of a variable", "it has no items", index);
    if (items.empty()) return {};
    if (name.empty()) name = variable;
    Json& entry = enumerations_[name];
    entry = {{"name", name}, {"items", Json::array()}};
    for (const mpi_t::EnumItem& item : items) entry["items"].push_back({{"name", item.name}, {"value", item.value}});
    return name;
  }

  Json members(int category, int count, const char* function, int (*get)(int, int, int*),
               const std::vector<std::string>& names) {
    std::vector<int> indices(static_cast<std::size_t>(std::max(count, 0)) + 1, -1);
    Json out = Json::array();
    if (count <= 0) return out;
    if (const int code = get(category, count, indices.data()); code != MPI_SUCCESS) {
      add_defect("category", answer(function, code), category);
      return out;
    }
    indices.pop_back();
    for (const int index : indices)
      if (index >= 0 && static_cast<std::size_t>(index) < names.size() &&
          !names[static_cast<std::size_t>(index)].empty())
        out.push_back(names[static_cast<std::size_t>(index)]);
    return out;
  }

  Json categories() {
    struct Sizes {
      int control = 0;
      int performance = 0;
      int categories = 0;
    };
    const int count = number_of("category", "MPI_T_category_get_num", MPI_T_category_get_num);
    std::vector<Sizes> sizes(static_cast<std::size_t>(count));
    std::vector<std::string> names(sizes.size());
    std::vector<std::string> texts(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      mpi_t::Words name;
      mpi_t::Words text;
      const int index = static_cast<int>(i);
      const int code = MPI_T_category_get_info(index, name.data(), &name.length, text.data(), &text.length,
                                               &sizes[i].control, &sizes[i].performance, &sizes[i].categories);
      if (code != MPI_SUCCESS) add_defect("category", answer("MPI_T_category_get_info", code), index);
      names[i] = code == MPI_SUCCESS ? name.text() : "";
      texts[i] = text.text();
    }
    Json out = Json::array();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (names[i].empty()) continue;
      const int index = static_cast<int>(i);
      out.push_back({{"name", names[i]},
                     {"index", index},
                     {"description", texts[i]},
                     {"control_variables", members(index, sizes[i].control, "MPI_T_category_get_cvars",
                                                   MPI_T_category_get_cvars, control_.names)},
                     {"performance_variables", members(index, sizes[i].performance, "MPI_T_category_get_pvars",
                                                       MPI_T_category_get_pvars, performance_.names)},
                     {"categories", members(index, sizes[i].categories, "MPI_T_category_get_categories",
                                            MPI_T_category_get_categories, names)}});
    }
    return out;
  }

  Json events() {
    Json out = Json::array();
#if MPI_VERSION >= 4
    const int count = number_of("event", "MPI_T_event_get_num", MPI_T_event_get_num);
    for (int i = 0; i < count; ++i) {
      mpi_t::Words name;
      mpi_t::Words text;
      int verbosity = 0;
      int elements = 0;
      int binding = 0;
      MPI_T_enum enumeration = MPI_T_ENUM_NULL;
      MPI_Info info = MPI_INFO_NULL;
      const int code = MPI_T_event_get_info(i, name.data(), &name.length, &verbosity, nullptr, nullptr, &elements,
                                            &enumeration, &info, text.data(), &text.length, &binding);
      if (code != MPI_SUCCESS) add_defect("event", answer("MPI_T_event_get_info", code), i);
      else
        out.push_back({{"name", name.text()},
                       {"index", i},
                       {"binding", mpi_t::word_of(mpi_t::bindings, binding)},
                       {"verbosity", mpi_t::word_of(mpi_t::verbosities, verbosity)},
                       {"description", text.text()}});
    }
#endif
    return out;
  }

  /// Of entries that have no name to stand under; without an index of all of a kind.
  void add_defect(const std::string& kind, const std::string& problem, std::optional<int> index) {
    auto known = std::ranges::find_if(
        defects_, [&](const Json& one) { return one["kind"] == kind && one["problem"] == problem; });
    if (known == defects_.end()) {
      defects_.push_back({{"kind", kind}, {"problem", problem}, {"indices", Json::array()}});
      known = defects_.end() - 1;
    }
    if (index) (*known)["indices"].push_back(*index);
  }

  Kind control_{"control variable", "MPI_T_cvar_get_num",    "MPI_T_cvar_get_info",
                MPI_T_cvar_get_num, mpi_t::describe_control, read_control};
  Kind performance_{"performance variable", "MPI_T_pvar_get_num",        "MPI_T_pvar_get_info",
                    MPI_T_pvar_get_num,     mpi_t::describe_performance, read_performance};
  std::map<std::string, Json> enumerations_;
  Json defects_ = Json::array();
};

void write_all(int descriptor, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t wrote = write(descriptor, text.data() + at, text.size() - at);
    if (wrote <= 0) _exit(1);
    at += static_cast<std::size_t>(wrote);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int out = argc > 1 ? std::atoi(argv[1]) : STDOUT_FILENO;
  const bool before = argc > 2 && std::strcmp(argv[2], "before") == 0;
  int provided = 0;
  if (!before) mpi_is_up = MPI_Init(&argc, &argv) == MPI_SUCCESS;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return 1;
  write_all(out, Lists().all().dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  if (mpi_is_up) PMPI_Finalize();
  _exit(0);  // nothing that libraries and tools do at the end of a run
}
