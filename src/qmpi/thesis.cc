// SPDX-License-Identifier: BSD-3-Clause
// thesis.cc - reading what a tool of the thesis's QMPI intercepts, and filling its table without holes.

#include "qmpi/thesis.hpp"

#include <string_view>
#include <unordered_map>

#include "base/job.hpp"
#include "base/message.hpp"

namespace cairn {

namespace {

constexpr const char* names[] = {
#define CAIRN_THESIS_FUNCTION(function) #function,
#include "cairn/generated/thesis_functions.inc"
#undef CAIRN_THESIS_FUNCTION
};

}  // namespace

Thesis::Thesis(Stack& stack, const MpiLibrary& mpi, const Preload& preload, const std::string& adaptor,
               std::size_t layers, const std::string& source, void (*problem)(const char* text))
    : stack_(stack),
      preload_(preload),
      source_(source),
      adaptors_(preload, mpi.functions(), adaptor),
      by_id_(layers + 1),
      items_(layers + 1, &nothing_.shown) {
  nothing_.shown.path = "";
  for (const char* name : names) functions_.push_back(mpi.functions().find(name));
  const int total = static_cast<int>(items_.size());
  vector_ = {items_.data(), total, total, problem};
}

void Thesis::start(Layer& layer, const LayerRequest& request, bool fixed) {
  ThesisLayer& one = layers_.emplace_back();
  one.shown.path = request.tool.c_str();
  one.adaptor = &adaptors_.open();
  one.fixed = fixed;
  *one.adaptor->level = static_cast<int>(number(layer.id()));
  *one.adaptor->vector = &vector_;
  stack_.add_table(layer, {one.adaptor->functions, one.adaptor->count});
  read_interceptions(layer, one);
  fill_table(one);
  by_id_[number(layer.id())] = &one;
  items_[number(layer.id())] = &one.shown;
}

void Thesis::read_interceptions(Layer& layer, ThesisLayer& one) const {
  std::unordered_map<std::string_view, void*> exported;
  layer.objects().front().for_each_function(
      [&](std::string_view name, void* entry, std::size_t) { exported.emplace(name, entry); });
  const auto name_of = reinterpret_cast<char* (*)(int)>(exported.at("get_interceptions"));
  for (int i = 0; i < NUM_MPI_FUNCS; ++i) {
    char* const name = name_of(i);
    one.shown.mpi_interceptions[i] = name;
    if (name == nullptr || std::string_view(name) == "NULL") continue;
    const auto wrapper = exported.find(name);
    if (wrapper == exported.end())
      throw Problem("its wrapper '" + std::string(name) + "' for " + names[i] + " (index " + std::to_string(i) +
                        ") is not in the module",
                    "exporting a function of that name, or \"NULL\" in its place");
    const std::size_t row = adaptors_.row(functions_[static_cast<std::size_t>(i)]);
    if (row == QmpiAdaptors::none) continue;  // this MPI lacks it, so nobody calls it
    one.adaptor->wrappers[row] = wrapper->second;
    layer.set_outer_wrapper(adaptors_.function(row), one.adaptor->entries[row]);
  }
}

/// By what is in the stack so far, which lies under the layer. MPI_Pcontrol never leads to another tool's wrapper: that
/// would not go on.
void Thesis::fill_table(ThesisLayer& one) const {
  for (std::size_t i = 0; i < NUM_MPI_FUNCS; ++i) {
    const std::size_t row = adaptors_.row(functions_[i]);
    if (row == QmpiAdaptors::none) continue;
    const LayerId covering = stack_.covering(functions_[i]);
    const ThesisLayer* const below = layer(covering);
    one.shown.table[i] = {one.adaptor->exits[row], vector_.total};
    if (below == nullptr || !below->fixed || i == _MPI_Pcontrol || below->adaptor->wrappers[row] == nullptr) continue;
    one.shown.table[i] = {below->adaptor->wrappers[row], static_cast<int>(number(covering))};
    if (*one.adaptor->level != 0) stack_.pin(covering);  // the program itself calls through no table
  }
}

void Thesis::finish() {
  if (layers_.empty()) return;
  ThesisLayer& program = layers_.emplace_back();
  program.shown.path = "";
  program.adaptor = &adaptors_.open();
  for (std::size_t row = 0; row < program.adaptor->count; ++row)
    program.adaptor->functions[row].next = preload_.stubs[adaptors_.function(row)];
  fill_table(program);
  items_[0] = &program.shown;
}

void Thesis::tell_problem(const char* text, const void* caller) const {
  const ThesisLayer* const one = layer(stack_.id_at(caller));
  if (speaks_for_job())
    tell(Severity::error, "tool '" + std::string(one != nullptr ? one->shown.path : "?") + "': " + text, source_,
         "the level that its wrapper got");
}

}  // namespace cairn
