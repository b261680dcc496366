// SPDX-License-Identifier: BSD-3-Clause
// self.hpp - a tool's own instance, and what it can ask of Cairn (a thin wrapper of tool.h)
#pragma once

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cairn/kit/result_file.hpp"
#include "cairn/services/results.hpp"
#include "cairn/tool.h"

namespace cairn {

/// Refers to memory that is valid until the process ends; can be copied and used on any thread.
class Self {
 public:
  explicit Self(const cairn_tool_instance& instance) : instance_(&instance) {}

  /// 1, 2, … among the layers of the same tool, outermost first.
  unsigned instance() const { return instance_->instance; }
  /// The layer: 1, 2, … among those that the user asked for, outermost first; higher for one that Cairn adds.
  unsigned level() const { return instance_->level; }
  /// As the user named the tool.
  const char* name() const { return instance_->tool; }
  /// "profile", "profile #2": unique among the layers of the same tool.
  std::string title() const {
    return instance() > 1 ? name() + (" #" + std::to_string(instance())) : std::string(name());
  }
  /// Path of the program under study.
  const char* program() const { return instance_->program; }
  const cairn_tool_instance& raw() const { return *instance_; }

  /// The value that the user gave for an option, or null.
  const char* option(std::string_view wanted) const {
    for (unsigned i = 0; i < instance_->option_count; ++i)
      if (instance_->options[i].name == wanted) return instance_->options[i].value;
    return nullptr;
  }

  /// The run's folder, created if necessary; null if that fails, and the user has been told. Before MPI_Init has
  /// returned, ranks other than 0 have one only if the user chose it.
  const char* output_folder() const { return instance_->output_folder(); }
  /// Whether all ranks know the folder from the start, because the user chose it (--out).
  static bool all_ranks_have_folder() {
    const char* const chosen = std::getenv("CAIRN_OUT");
    return chosen != nullptr && *chosen != '\0';
  }
  /// "profile.json" for the first instance of a tool, "profile.2.json" for the second.
  std::string file_name(const std::string& stem, const std::string& ending) const {
    return instance() > 1 ? stem + "." + std::to_string(instance()) + ending : stem + ending;
  }
  /// Writes a file in the run's folder, completely or not at all; tells the user if that fails. Usually for rank 0.
  bool write(const std::string& file, std::string_view text) const { return write_by(write_file, file, text); }
  /// The same, appending to an existing file.
  bool add(const std::string& file, std::string_view text) const { return write_by(add_to_file, file, text); }
  /// Tells the user that a file cannot be written, for the reason in errno; only for the first file of a run.
  void not_written(const std::string& path) const {
    const int error = errno;
    if (const Results* const results = find<Results>()) results->not_written(instance_, path.c_str(), error);
  }
  /// Deletes a file that write() has created there.
  void remove(const std::string& file) const {
    if (const char* const folder = output_folder()) std::remove((folder + ("/" + file)).c_str());
  }
  /// Prints a report to standard error; only on the first rank with the tool.
  void print(const std::string& text) const { instance_->print(instance_, text.c_str()); }
  /// Warns the user of a problem; only on the first rank with the tool.
  void warn(const std::string& text) const { instance_->warn(instance_, text.c_str()); }
  /// Switches the layer off or on on this rank (tool.h).
  void set_active(bool active) const { instance_->set_active(instance_, active ? 1 : 0); }

  /// A service is a structure of functions with two members `static constexpr const char* service` and
  /// `static constexpr std::uint32_t version`; both sides include the same header. A change of the structure needs
  /// another version.
  template <class Service>
  void publish(const Service& offered) const {
    instance_->publish_sized(instance_, Service::service, Service::version, sizeof(Service), &offered);
  }
  /// The service of the nearest layer below that offers it; null if there is none.
  template <class Service>
  const Service* find() const {
    return static_cast<const Service*>(
        instance_->find_sized(instance_, Service::service, Service::version, sizeof(Service)));
  }
  /// The same for a service that the tool cannot work without; throws what a constructor may pass on.
  template <class Service>
  const Service& need() const {
    if (const Service* found = find<Service>()) return *found;
    throw std::runtime_error("it needs the service '" + std::string(Service::service) + "' version " +
                             std::to_string(Service::version) + ", which no layer below it offers");
  }

 private:
  bool write_by(bool (*way)(const std::string&, std::string_view), const std::string& file,
                std::string_view text) const {
    const char* const folder = output_folder();
    if (folder == nullptr) return false;
    const std::string path = folder + ("/" + file);
    const bool written = way(path, text);
    if (!written) not_written(path);
    return written;
  }

  const cairn_tool_instance* instance_;
};

}  // namespace cairn
