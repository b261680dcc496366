// SPDX-License-Identifier: BSD-3-Clause
// instances.hpp - tools as they see themselves (include/cairn/tool.h): options, results, and services for each other.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "base/message.hpp"
#include "cairn/services/results.hpp"
#include "cairn/tool.h"
#include "contracts/job_host.h"
#include "request/request.hpp"
#include "stack/layer.hpp"
#include "stack/stack.hpp"

namespace cairn {

/// Lives until the process ends, and everything in it stays where it is: tools keep pointers.
class Instances {
 public:
  /// `source`: how the user asked for the tools; `output_folder`: as in tool.h. The first two outlive this.
  Instances(Stack& stack, const std::string& source, const char* (*output_folder)());

  /// Runs the tool's cairn_tool_start, if it has one. Throws Problem if the tool refuses to start. `instance`: 1
  /// for the outermost of several layers of one tool. The layer may move afterwards.
  void start(Layer& layer, const LayerRequest& request, std::uint32_t instance);

  /// What the ranks have agreed on; stays valid.
  void agree(const cairn_job_agreed& agreed) { agreed_ = &agreed; }

  /// A service of Cairn itself, below all layers.
  template <class Offered>
  void offer(const Offered& interface) {
    offer(Offered::service, Offered::version, sizeof(Offered), &interface);
  }
  void offer(const char* service, std::uint32_t version, std::size_t size, const void* interface);

  /// The service "cairn.results".
  static const Results& results_service();

  /// Whether a tool that starts now would find the service in that version, offered from above that place.
  bool is_offered(const std::string& service, std::uint32_t version, Position above) const;

  /// Throws Problem, saying what there is instead, if it would not.
  void check_offered(const std::string& service, std::uint32_t version) const;

  /// A layer that would have lain there is not in the stack after all.
  void withdraw_offers_from(Position position);

  /// Whether the one tool lies further out than the other.
  static bool is_outside(const cairn_tool_instance* one, const cairn_tool_instance* other);

 private:
  struct Instance {
    cairn_tool_instance shown;  // first, so that what a tool gives back leads here
    Instances* all;
    Layer* starting;  // null but while the tool starts
    Position position;
    std::string problem;
    std::string remedy;
    std::vector<cairn_tool_option> options;
  };
  struct Service {
    Position position;  // of the layer that offers it
    std::string name;
    std::uint32_t version;
    std::size_t size;  // of the interface; 0: unknown
    const void* interface;
    std::string offered_by;
  };

  Instance& describe(const Layer& layer, const LayerRequest& request, std::uint32_t number);
  bool speaks(const cairn_tool_instance& instance) const;
  void say(Severity severity, const Instance& instance, const std::string& text) const;
  const Service* nearest(Position under, const std::string& service, std::uint32_t version) const;

  static Instance& of(const cairn_tool_instance* self);
  static void print(const cairn_tool_instance* self, const char* text);
  static void warn(const cairn_tool_instance* self, const char* text);
  static void set_active(const cairn_tool_instance* self, int active);
  static void not_written(const cairn_tool_instance* self, const char* path, int error);
  static int intercept(const cairn_tool_instance* self, cairn_tool_function* functions, std::size_t count);
  static int publish(const cairn_tool_instance* self, const char* service, std::uint32_t version,
                     const void* interface);
  static int publish_sized(const cairn_tool_instance* self, const char* service, std::uint32_t version,
                           std::size_t size, const void* interface);
  static const void* find(const cairn_tool_instance* self, const char* service, std::uint32_t version);
  static const void* find_sized(const cairn_tool_instance* self, const char* service, std::uint32_t version,
                                std::size_t size);
  static void tell_misfit(Instance& instance, const Service& found, std::uint32_t version, std::size_t size);

  Stack& stack_;
  const std::string& source_;
  const char* (*const output_folder_)();
  const std::string program_;
  std::atomic_flag told_not_written_;
  std::atomic<const cairn_job_agreed*> agreed_{nullptr};
  std::deque<Instance> instances_;
  mutable std::mutex services_lock_;
  std::vector<Service> services_;
};

}  // namespace cairn
