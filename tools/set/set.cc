// SPDX-License-Identifier: BSD-3-Clause
// set.cc - sets control variables of tools once MPI is initialized, and checks those that the library was given
//
// `cairn run --set` puts this layer below all others and makes its options: `write` for the variables of layers,
// `expect` for those of the library, which were set in the environment. Each rank has options of its own; what went
// wrong is gathered and reported at the end.

#include <mpi.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assignments.hpp"
#include "cairn/kit.hpp"
#include "cairn/kit/ranks.hpp"
#include "shared/control_variable.hpp"

namespace set {

class Set {
 public:
  static constexpr std::string_view about = "control variables (MPI_T) set for the run: the layer of 'cairn run --set'";
  struct Options {
    std::string_view write = "";
    std::string_view expect = "";
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("write", write, "NAME=VALUE;... written when MPI_Init has returned");
      visit("expect", expect,
            "NAME=VALUE;... that the MPI library should have then; differences are reported at the end");
    }
  };

  Set(cairn::Self self, const Options& options)
      : self_(self), write_(read_assignments(options.write)), expect_(read_assignments(options.expect)) {}

  template <cairn::Function F>
  requires(cairn::starts_mpi<F>()) int on(cairn::Call<F>& call) { return with_settings(call); }

  void finish() {
    const cairn::World world(self_);
    const std::vector<std::string> all = world.gather(complaints_);
    if (world.rank() == 0) tell(all);
  }

 private:
  template <class Call>
  int with_settings(Call& call) {
    int count = 0;
    // Open MPI crashes when some of its variables are read that were listed before MPI_Init.
    const bool listed_before = MPI_T_cvar_get_num(&count) == MPI_SUCCESS;
    const int result = call.proceed();
    if (!start_.is_first(result) || (write_.empty() && (expect_.empty() || listed_before))) return result;
    const cairn::OwnWork own;
    int level = MPI_THREAD_SINGLE;
    int provided = 0;
    PMPI_Query_thread(&level);  // others may use MPI_T on the program's threads
    if (MPI_T_init_thread(level, &provided) != MPI_SUCCESS) return result;
    for (const Assignment& one : write_) write(one);
    if (!listed_before)
      for (const Assignment& one : expect_) compare(one);
    return result;
  }

  void write(const Assignment& wanted) {
    const mpi_t::ControlVariable variable(wanted.variable());
    const std::string why = variable.code() != MPI_SUCCESS
                                ? "writing it returned " + mpi_t::name_of_code(variable.code())
                                : variable.write(wanted.value, wanted.element());
    if (!why.empty()) complain("control variable '" + wanted.name + "' is not " + wanted.value + ": " + why);
  }

  /// After MPI_Init there are no variables of components that this run does not use.
  void compare(const Assignment& wanted) {
    const mpi_t::ControlVariable variable(wanted.name);
    if (variable.code() != MPI_SUCCESS) {
      complain("control variable '" + wanted.name + "' no longer exists after MPI_Init: the part of the MPI library " +
               "that it belongs to may not be in use");
      return;
    }
    const std::optional<std::string> value = variable.read();
    if (value && *value != wanted.value)
      complain("control variable '" + wanted.name + "' is " + *value + ", not " + wanted.value +
               ": the MPI library changed it in MPI_Init");
  }

  void complain(const std::string& text) { complaints_ += text + "\n"; }

  /// Each text once, however many ranks report it.
  void tell(const std::vector<std::string>& all) const {
    std::vector<std::string> told;
    for (const std::string& of_rank : all)
      for (std::size_t at = 0, end = 0; (end = of_rank.find('\n', at)) != std::string::npos; at = end + 1) {
        const std::string text = of_rank.substr(at, end - at);
        if (std::ranges::find(told, text) != told.end()) continue;
        told.push_back(text);
        self_.warn(text);
      }
  }

  cairn::Self self_;
  std::vector<Assignment> write_;
  std::vector<Assignment> expect_;
  std::string complaints_;
  cairn::MpiStart start_;
};

}  // namespace set

CAIRN_TOOL(set::Set)
