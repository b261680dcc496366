// SPDX-License-Identifier: BSD-3-Clause
// instances.cc - starting tools, and what they ask of Cairn.

#include "runtime/instances.hpp"

#include <algorithm>
#include <atomic>
#include <system_error>

#include "base/job.hpp"
#include "base/program_path.hpp"
#include "base/writing.hpp"
#include "runtime/loss.hpp"

namespace cairn {

Instances::Instances(Stack& stack, const std::string& source, const char* (*output_folder)())
    : stack_(stack), source_(source), output_folder_(output_folder), program_(program_path()) {}

void Instances::start(Layer& layer, const LayerRequest& request, std::uint32_t number) {
  auto* const entry = reinterpret_cast<int (*)(const cairn_tool_instance*)>(layer.exported("cairn_tool_start"));
  if (entry == nullptr) return;
  Instance& instance = describe(layer, request, number);
  instance.starting = &layer;
  const int refused = entry(&instance.shown);
  instance.starting = nullptr;
  if (!instance.problem.empty()) throw Problem(instance.problem, instance.remedy);
  if (refused != 0) throw Problem("it refused to start");
}

Instances::Instance& Instances::describe(const Layer& layer, const LayerRequest& request, std::uint32_t number) {
  Instance& instance = instances_.emplace_back();
  instance.all = this;
  instance.position = layer.position();
  for (const ToolOption& option : request.options)
    instance.options.push_back({option.name.c_str(), option.value.c_str()});
  instance.shown = {
      .abi = CAIRN_TOOL_ABI,
      .instance = number,
      .level = cairn::number(layer.id()),
      .option_count = static_cast<std::uint32_t>(instance.options.size()),
      .options = instance.options.data(),
      .tool = request.tool.c_str(),
      .program = program_.c_str(),
      .output_folder = output_folder_,
      .print = print,
      .warn = warn,
      .set_active = set_active,
      .intercept = intercept,
      .publish = publish,
      .find = find,
      .publish_sized = publish_sized,
      .find_sized = find_sized,
  };
  return instance;
}

void Instances::offer(const char* service, std::uint32_t version, std::size_t size, const void* interface) {
  const std::lock_guard lock(services_lock_);
  services_.push_back({Position::below_all, service, version, size, interface, "cairn"});
}

bool Instances::is_offered(const std::string& service, std::uint32_t version, Position above) const {
  const std::lock_guard lock(services_lock_);
  const Service* const found = nearest(stack_.next_position(), service, version);
  return found != nullptr && found->version == version && found->position >= above;
}

void Instances::check_offered(const std::string& service, std::uint32_t version) const {
  const std::lock_guard lock(services_lock_);
  const Service* const found = nearest(stack_.next_position(), service, version);
  if (found != nullptr && found->version == version) return;
  const std::string wanted = "it needs the service '" + service + "' version " + std::to_string(version) + ", ";
  if (found == nullptr)
    throw Problem(wanted + "which no layer below it offers", "a tool that offers '" + service + "', named after it");
  throw Problem(wanted + "but tool '" + found->offered_by + "' offers version " + std::to_string(found->version),
                "a tool that offers that version, named after it");
}

void Instances::withdraw_offers_from(Position position) {
  const std::lock_guard lock(services_lock_);
  std::erase_if(services_, [&](const Service& offer) { return offer.position >= position; });
}

/// The nearest offer of that version by a lower layer, else the nearest of another one, else null.
const Instances::Service* Instances::nearest(Position under, const std::string& service, std::uint32_t version) const {
  const Service* best = nullptr;
  for (const Service& offer : services_) {
    if (offer.position >= under || offer.name != service) continue;
    const bool fits = offer.version == version;
    const bool best_fits = best != nullptr && best->version == version;
    if (best == nullptr || (fits && !best_fits) || (fits == best_fits && offer.position > best->position))
      best = &offer;
  }
  return best;
}

/// The first rank that has the instance.
bool Instances::speaks(const cairn_tool_instance& instance) const {
  const cairn_job_agreed* const agreed = agreed_;
  const int is_first = agreed == nullptr ? -1 : agreed->is_first(instance.level);
  return is_first < 0 ? speaks_for_job() : is_first != 0;
}

void Instances::say(Severity severity, const Instance& instance, const std::string& text) const {
  if (speaks(instance.shown)) tell(severity, "tool '" + std::string(instance.shown.tool) + "': " + text, source_);
}

Instances::Instance& Instances::of(const cairn_tool_instance* self) {
  return *reinterpret_cast<Instance*>(const_cast<cairn_tool_instance*>(self));
}

bool Instances::is_outside(const cairn_tool_instance* one, const cairn_tool_instance* other) {
  return of(one).position > of(other).position;
}

void Instances::print(const cairn_tool_instance* self, const char* text) {
  if (of(self).all->speaks(*self)) show(text);
}

/// Tools that have run out of memory say so too.
void Instances::warn(const cairn_tool_instance* self, const char* text) try {
  const Instance& instance = of(self);
  instance.all->say(Severity::warning, instance, text);
} catch (const std::bad_alloc&) {
  if (of(self).all->speaks(*self)) warn_without_memory(self->tool, text);
}

/// Where a disk is full, one file's message stands for all.
void Instances::not_written(const cairn_tool_instance* self, const char* path, int error) {
  const Instance& instance = of(self);
  if ((!instance.all->speaks(instance.shown) && !speaks_of_loss()) || instance.all->told_not_written_.test_and_set())
    return;
  tell(Severity::warning,
       "tool '" + std::string(self->tool) + "': '" + path +
           "' cannot be written: " + std::generic_category().message(error) + what_is_lost(),
       instance.all->source_, remedy_for_writing(error));
}

const Results& Instances::results_service() {
  static constexpr Results service = {not_written};
  return service;
}

void Instances::set_active(const cairn_tool_instance* self, int active) {
  of(self).all->stack_.set_active(LayerId{self->level}, active != 0);
}

int Instances::intercept(const cairn_tool_instance* self, cairn_tool_function* functions, std::size_t count) {
  Instance& instance = of(self);
  if (instance.starting == nullptr) {
    instance.all->say(Severity::error, instance, "wrappers can be given within cairn_tool_start only");
    return 1;
  }
  const std::string unknown = instance.all->stack_.add_table(*instance.starting, {functions, count});
  if (unknown.empty()) return 0;
  instance.problem = "it wraps '" + unknown + "', which is not an MPI function that this Cairn knows";
  return 1;
}

int Instances::publish(const cairn_tool_instance* self, const char* service, std::uint32_t version,
                       const void* interface) {
  return publish_sized(self, service, version, 0, interface);
}

int Instances::publish_sized(const cairn_tool_instance* self, const char* service, std::uint32_t version,
                             std::size_t size, const void* interface) {
  Instance& instance = of(self);
  Instances& all = *instance.all;
  const std::lock_guard lock(all.services_lock_);
  const bool again = std::ranges::any_of(all.services_, [&](const Service& offer) {
    return offer.position == instance.position && offer.name == service && offer.version == version;
  });
  if (again) {
    all.say(Severity::error, instance,
            "it offers the service '" + std::string(service) + "' version " + std::to_string(version) + " twice");
    return 1;
  }
  all.services_.push_back({instance.position, service, version, size, interface, self->tool});
  return 0;
}

/// A tool that starts is refused where headers differ: services with such names are in Cairn's.
void Instances::tell_misfit(Instance& instance, const Service& found, std::uint32_t version, std::size_t size) {
  std::string text = "it wants the service '" + found.name + "' in version " + std::to_string(version);
  if (found.version != version)
    text += ", but tool '" + found.offered_by + "' offers version " + std::to_string(found.version);
  else
    text += " with " + std::to_string(size) + " bytes, but tool '" + found.offered_by + "' offers it with " +
            std::to_string(found.size);
  const bool is_header_of_cairn = found.name.starts_with("cairn.");
  if (is_header_of_cairn || found.version == version) text += ": one of them was built with another Cairn's headers";
  if (instance.starting == nullptr || (!is_header_of_cairn && found.version != version))
    return instance.all->say(Severity::warning, instance, text);
  instance.problem = text;
  instance.remedy = "building the tool with the headers of the Cairn that runs it";
}

const void* Instances::find(const cairn_tool_instance* self, const char* service, std::uint32_t version) {
  return find_sized(self, service, version, 0);
}

const void* Instances::find_sized(const cairn_tool_instance* self, const char* service, std::uint32_t version,
                                  std::size_t size) {
  Instance& instance = of(self);
  Instances& all = *instance.all;
  const std::lock_guard lock(all.services_lock_);
  const Service* const found = all.nearest(instance.position, service, version);
  if (found == nullptr) return nullptr;
  if (found->version == version && (size == 0 || found->size == 0 || found->size == size)) return found->interface;
  tell_misfit(instance, *found, version, size);
  return nullptr;
}

}  // namespace cairn
