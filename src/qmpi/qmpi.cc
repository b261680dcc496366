// SPDX-License-Identifier: BSD-3-Clause
// qmpi.cc - starting QMPI layers, and what the functions do that their tools call.

#include "qmpi/qmpi.hpp"

#include <algorithm>

#include "base/job.hpp"
#include "base/message.hpp"
#include "base/text.hpp"

namespace cairn {

namespace {

constexpr const char* other_header = "compiling it with the mpi.h (or qmpi.h) of this MPI";

std::string quoted(const std::vector<std::string>& names) {
  return names.empty() ? "" : "'" + join(names, "', '") + "'";
}

}  // namespace

char Qmpi::unset_;

Qmpi::Qmpi(Stack& stack, const MpiLibrary& mpi, const Preload& preload, const std::string& adaptor, std::size_t layers,
           const std::string& source, std::span<const QmpiEntry> entries)
    : stack_(stack),
      mpi_(mpi),
      preload_(preload),
      source_(source),
      entries_(entries),
      adaptors_(preload, mpi.functions(), adaptor),
      ids_(layers + 1),
      layers_(layers + 1),
      storages_(layers + 1, &unset_),
      first_storage_(storages_.data()),
      id_count_(static_cast<unsigned>(layers + 1)) {}

void Qmpi::open() const {
  for (std::size_t i = 0; i < preload_.qmpi_functions; ++i)
    __atomic_store_n(&preload_.qmpi_slots[i], implementation(preload_.qmpi_names[i]), __ATOMIC_RELEASE);
}

void Qmpi::number_layers(std::span<const LayerId> layers) {
  for (int id = 0; const LayerId layer : layers) ids_[number(layer)] = ++id;
}

void* Qmpi::implementation(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &QmpiEntry::name);
  return found == entries_.end() ? nullptr : found->address;
}

const QmpiRegistration* Qmpi::of_program(std::string_view name) const {
  const std::span all(preload_.registrations, preload_.registration_count);
  const auto found = std::ranges::find_if(all, [&](const QmpiRegistration& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string Qmpi::names_of_program() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < preload_.registration_count; ++i) names.emplace_back(preload_.registrations[i].name);
  return quoted(names);
}

/// The tool that the user means of those that the module has registered.
const Qmpi::Registration& Qmpi::chosen(const LayerRequest& request) const {
  std::vector<std::string> names;
  for (const Registration& one : registrations_) names.push_back(one.name);
  if (names.empty())
    throw Problem("its constructors register no QMPI tool", "QMPI_Register_tool_name in a constructor");
  const auto wanted = std::ranges::find(request.options, "name", &ToolOption::name);
  if (wanted == request.options.end()) {
    if (names.size() == 1) return registrations_.front();
    throw Problem("it registers " + std::to_string(names.size()) + " QMPI tools, " + quoted(names),
                  "one of them: " + request.tool + "=name:" + names.front());
  }
  const auto found = std::ranges::find(registrations_, wanted->value, &Registration::name);
  if (found == registrations_.end())
    throw Problem("it registers no QMPI tool '" + wanted->value + "'", "one that it registers: " + quoted(names));
  return *found;
}

void Qmpi::start(Layer& layer, const LayerRequest& request, bool fixed) {
  expecting_ = false;
  const Registration registration = chosen(request);
  run(layer, request, fixed, registration.init);
}

/// The program's own code is no layer's object; its QMPI_X are those of its innermost tool.
void Qmpi::start(Layer& layer, const LayerRequest& request, const QmpiRegistration& registration) {
  const auto* const code = reinterpret_cast<const void*>(registration.init);
  const link_map* const object = object_at(code);
  run(layer, request, true, registration.init);
  if (object != nullptr && redirected_.insert(object).second && layer.objects().empty())
    redirect(LoadedObject(object), *layers_[static_cast<unsigned>(id_of(layer.id()))]->adaptor);
}

void Qmpi::run(Layer& layer, const LayerRequest& request, bool fixed, void (*init)(int)) {
  const cairn_adaptor& adaptor = adaptors_.open();
  bad_argument_ = adaptor.bad_argument;
  const int id = id_of(layer.id());
  *adaptor.level = id;
  stack_.add_table(layer, {adaptor.functions, adaptor.count});
  for (const LoadedObject& object : layer.objects()) redirect(object, adaptor);

  auto& place = layers_[static_cast<unsigned>(id)];
  place = new QmpiLayer{request.tool, &adaptor, fixed, &layer, {}, {}, answers_for(adaptor)};
  init(id);
  place->starting = nullptr;
  if (!place->problem.empty()) throw Problem(place->problem, place->remedy);
}

/// Where the ways down from the layer that is just being started lead.
std::vector<Qmpi::Answer> Qmpi::answers_for(const cairn_adaptor& adaptor) const {
  std::vector<Answer> answers(adaptor.number_count, Answer{nullptr, 0});
  for (std::size_t number = 0; number < adaptor.number_count; ++number) {
    const std::size_t row = adaptor.numbers[number];
    if (row == QmpiAdaptors::none || adaptor.functions[row].next == nullptr) continue;
    const LayerId covering = stack_.covering(adaptors_.function(row));
    const int id = id_of(covering);
    const QmpiLayer* const below = layer(id);
    answers[number] = {reinterpret_cast<QmpiFunction>(adaptor.exits[row]), 0};
    if (below == nullptr || !below->fixed || below->adaptor->wrappers[row] == nullptr) continue;
    answers[number] = {reinterpret_cast<QmpiFunction>(below->adaptor->wrappers[row]), id};
    stack_.pin(covering);
  }
  return answers;
}

/// QMPI's functions without the detour over the stubs, and QMPI_X, which no library has, as the layer's own way down.
void Qmpi::redirect(LoadedObject object, const cairn_adaptor& adaptor) const {
  object.redirect_imports([&](std::string_view name) -> void* {
    if (!name.starts_with("QMPI")) return nullptr;
    if (void* const own = implementation(name)) return own;
    const std::size_t row = adaptors_.row(mpi_.functions().find(name.substr(1)));
    return row == QmpiAdaptors::none ? nullptr : adaptor.exits[row];
  });
}

const char* Qmpi::name_of(const QmpiLayer& layer, int number) const {
  return layer.adaptor->functions[layer.adaptor->numbers[number]].name;
}

/// Keeps the tool out of the stack; the first reason counts.
int Qmpi::refuse(QmpiLayer& layer, const std::string& problem, const std::string& remedy) const {
  if (layer.problem.empty()) {
    layer.problem = problem;
    layer.remedy = remedy;
  }
  return bad_argument_;
}

/// Says once what a tool did wrong at run time. The tool is the one whose code called.
int Qmpi::complain(const void* caller, const std::string& text, const std::string& remedy) {
  const std::lock_guard lock(telling_);
  const QmpiLayer* const found = layer(id_of(stack_.id_at(caller)));
  const std::string tool = found != nullptr ? "tool '" + found->tool + "'" : "a QMPI tool of the program";
  if (told_.insert(tool + text).second && speaks_for_job()) tell(Severity::error, tool + ": " + text, source_, remedy);
  return bad_argument_;
}

int Qmpi::complain_of_id(const char* function, int id, const void* caller) {
  const std::string text = std::string(function) + ": there is no QMPI layer " + std::to_string(id);
  const std::string remedy = "the tool id that its init function or its wrapper got";
  const auto starting = std::ranges::find_if(layers_, [](const QmpiLayer* one) { return one && one->starting; });
  return starting != layers_.end() ? refuse(**starting, text, remedy) : complain(caller, text, remedy);
}

int Qmpi::register_tool_name(const char* name, void (*init)(int)) {
  if (!expecting_ || name == nullptr || init == nullptr) return bad_argument_;
  registrations_.push_back({name, init});
  return 0;
}

int Qmpi::register_tool_storage(int id, void* storage, const void* caller) {
  if (layer(id) == nullptr) return complain_of_id("QMPI_Register_tool_storage", id, caller);
  storages_[static_cast<unsigned>(id)] = storage;
  return 0;
}

int Qmpi::register_function(int id, int number, QmpiFunction function, const void* caller) {
  QmpiLayer* const layer = this->layer(id);
  if (layer == nullptr) return complain_of_id("QMPI_Register_function", id, caller);
  if (layer->starting == nullptr)
    return complain(caller, "it registers a function after its init function",
                    "QMPI_Register_function in the init function");
  const cairn_adaptor& adaptor = *layer->adaptor;
  if (static_cast<unsigned>(number) >= adaptor.number_count)
    return refuse(*layer, "it registers function number " + std::to_string(number) + ", which is no MPI function",
                  other_header);
  const std::size_t row = adaptor.numbers[number];
  if (row == QmpiAdaptors::none) return 0;  // this MPI lacks it, so nobody calls it
  if (function == nullptr)
    return refuse(*layer, std::string("it registers a null pointer for ") + name_of(*layer, number),
                  "leaving out functions that it does not wrap");
  adaptor.wrappers[row] = reinterpret_cast<void*>(function);
  layer->starting->set_outer_wrapper(adaptors_.function(row), adaptor.entries[row]);
  return 0;
}

int Qmpi::no_function(int id, int number, const void* caller) {
  if (layer(id) == nullptr) return complain_of_id("QMPI_Get_function", id, caller);
  const bool known = answer(id, number) != nullptr;
  return complain(caller,
                  "QMPI_Get_function: function number " + std::to_string(number) +
                      (known ? " is one that this MPI library lacks" : " is no MPI function"),
                  known ? "" : other_header);
}

int Qmpi::no_storage(int id, void** storage, const void* caller) {
  *storage = nullptr;
  if (layer(id) == nullptr) return complain_of_id("QMPI_Get_tool_storage", id, caller);
  return complain(caller, "QMPI_Get_tool_storage: layer " + std::to_string(id) + " has set no storage",
                  "QMPI_Register_tool_storage in the init function");
}

}  // namespace cairn
