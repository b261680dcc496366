// SPDX-License-Identifier: BSD-3-Clause
// renumbering.cc - what the ranks agree on, and what the new communicator gets of MPI_COMM_WORLD

#include "renumbering.hpp"

#include <algorithm>
#include <new>
#include <span>
#include <vector>

#include "all_processes.hpp"
#include "base/message.hpp"
#include "cairn/kit/own_work.hpp"
#include "cairn/kit/ranks.hpp"
#include "cairn/kit/start.hpp"
#include "callbacks.hpp"

namespace reorder {

namespace {

/// Errors in calls of our own end no program.
class QuietErrors {
 public:
  QuietErrors() {
    const cairn::OwnWork own;
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &before_);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  ~QuietErrors() {
    const cairn::OwnWork own;
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, before_);
    PMPI_Errhandler_free(&before_);
  }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

 private:
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

// What needs room on the stack is kept apart.

/// On rank 0, what some rank says, of several the first; on the others what they say themselves.
[[gnu::noinline]] void find_obstacle(const cairn::World& world, std::string& obstacle) {
  world.merge([&]() -> const std::string& { return obstacle; },
              [&](const std::string& more) {
                if (obstacle.empty()) obstacle = more;
              });
}

/// From rank 0 to all; the others pass zeros.
[[gnu::noinline]] void share(const cairn::World& world, std::vector<int>& numbers) {
  world.max_everywhere(std::span(numbers));
}

[[gnu::noinline]] bool any(const cairn::World& world, bool here) {
  int number = here ? 1 : 0;
  world.max_everywhere(std::span(&number, 1));
  return number != 0;
}

/// The file, for a program of that many processes.
cairn::formats::RankOrder read_order(const std::string& file, int size, std::string& obstacle) {
  try {
    cairn::formats::RankOrder order = cairn::formats::read_rank_order_file(file);
    if (static_cast<int>(order.size()) == size) return order;
    obstacle = "'" + file + "' is for " + std::to_string(order.size()) + " processes, and the program has " +
               std::to_string(size);
  } catch (const cairn::Problem& problem) {
    obstacle = problem.what();
  }
  return {};
}

bool changes_nothing(const cairn::formats::RankOrder& order) { return std::ranges::is_sorted(order); }

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_string(code, text, &length);
  return text;
}

}  // namespace

void Renumbering::start(const std::string& file, const std::string& obstacle) try {
  agree(file, obstacle);
} catch (const std::bad_alloc&) {
  free();
  process_at_.clear();
  self_.warn("ranks stay as they are: out of memory");
}

void Renumbering::agree(const std::string& file, std::string obstacle) {
  const cairn::World world(self_);
  const int size = cairn::place_in_job(self_).size;
  if (world.size() != size) obstacle = "some ranks run without the tool";
  find_obstacle(world, obstacle);
  std::vector<int> order(static_cast<std::size_t>(size) + 1);  // whether there is one, then it
  if (world.rank() == 0 && obstacle.empty())
    if (const auto read = read_order(file, size, obstacle); obstacle.empty() && !changes_nothing(read)) {
      order[0] = 1;
      std::ranges::copy(read, order.begin() + 1);
    }
  share(world, order);
  if (order[0] != 0) {
    order.erase(order.begin());
    obstacle = make(order);
    find_obstacle(world, obstacle);
    if (any(world, !is_active())) {
      free();
      process_at_.clear();
    }
  }
  if (!obstacle.empty()) self_.warn("ranks stay as they are: " + obstacle);
}

/// Why it cannot be made. Tools beneath take it for the program's, whose calls they will see on it.
std::string Renumbering::make(const cairn::formats::RankOrder& order) {
  std::string obstacle;
  process_at_.resize(order.size());
  for (std::size_t process = 0; process < order.size(); ++process)
    process_at_[static_cast<std::size_t>(order[process])] = static_cast<int>(process);
  const MPI_Group all = session_world(self_);
  const int rank = cairn::place_in_job(self_).rank;
  made_ = all == MPI_GROUP_NULL ? make_of_world(order[static_cast<std::size_t>(rank)], obstacle)
                                : make_of_session(all, obstacle);
  return obstacle;
}

MPI_Comm Renumbering::make_of_world(int new_rank, std::string& obstacle) {
  const QuietErrors quiet;
  MPI_Comm made = MPI_COMM_NULL;
  const int code = PMPI_Comm_split(MPI_COMM_WORLD, 0, new_rank, &made);
  if (code != MPI_SUCCESS || made == MPI_COMM_NULL) obstacle = "no communicator for it: " + text_of(code);
  return made;
}

/// A program that began with a session may call MPI_Init later, on each rank at another time: then it is there.
MPI_Comm Renumbering::make_of_session([[maybe_unused]] MPI_Group all, [[maybe_unused]] std::string& obstacle) {
  MPI_Comm made = MPI_COMM_NULL;
#if MPI_VERSION >= 4
  MPI_Group group = in_new_order(all);
  const int code = PMPI_Comm_create_from_group(group, "org.cairn.reorder", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
  if (code != MPI_SUCCESS || made == MPI_COMM_NULL) obstacle = "no communicator for it: " + text_of(code);
  const cairn::OwnWork own;
  PMPI_Group_free(&group);
#endif
  return made;
}

MPI_Group Renumbering::in_new_order(MPI_Group all) const {
  const cairn::OwnWork own;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Group_incl(all, static_cast<int>(process_at_.size()), process_at_.data(), &group);
  return group;
}

/// What MPI_COMM_WORLD has. Attributes of MPI_COMM_SELF are deleted first in MPI_Finalize, the oldest last: then those of
/// MPI_COMM_WORLD.
void Renumbering::stand_for_world() {
  if (!is_active() || stand_in != MPI_COMM_NULL) return;
  const cairn::OwnWork own;
  stand_in = made_;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  PMPI_Comm_set_errhandler(made_, handler);
  PMPI_Errhandler_free(&handler);
  PMPI_Comm_set_name(made_, "MPI_COMM_WORLD");
  MPI_Info info = MPI_INFO_NULL;
  if (PMPI_Comm_get_info(MPI_COMM_WORLD, &info) == MPI_SUCCESS && info != MPI_INFO_NULL) {
    PMPI_Comm_set_info(made_, info);
    PMPI_Info_free(&info);
  }
  if (PMPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &heir_, nullptr) == MPI_SUCCESS)
    PMPI_Comm_set_attr(made_, heir_, this);
  const auto at_end = [](MPI_Comm, int, void* self, void*) -> int {  // MPI_SUCCESS may be an enumerator
    static_cast<Renumbering*>(self)->free();
    return MPI_SUCCESS;
  };
  int keyval = MPI_KEYVAL_INVALID;
  if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &keyval, nullptr) != MPI_SUCCESS) return;
  PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, this);
  PMPI_Comm_free_keyval(&keyval);
}

void Renumbering::free() {
  if (!is_active()) return;
  const cairn::OwnWork own;
  MPI_Comm made = made_;
  PMPI_Comm_free(&made);  // calls the program's functions for its attributes, which may ask for MPI_COMM_WORLD
  made_ = MPI_COMM_NULL;
  stand_in = MPI_COMM_NULL;
}

bool Renumbering::is_descendant(MPI_Comm comm) const {
  const cairn::OwnWork own;
  void* value = nullptr;
  int flag = 0;
  return heir_ != MPI_KEYVAL_INVALID && PMPI_Comm_get_attr(comm, heir_, &value, &flag) == MPI_SUCCESS && flag != 0;
}

int Renumbering::renumbered(int rank) const {
  return static_cast<int>(std::ranges::find(process_at_, rank) - process_at_.begin());
}

void Renumbering::renumber(MPI_Group& group, MPI_Group all) const {
  const cairn::OwnWork own;
  int comparison = MPI_UNEQUAL;
  PMPI_Group_compare(group, all, &comparison);
  if (comparison != MPI_IDENT) return;
  PMPI_Group_free(&group);
  group = in_new_order(all);
}

}  // namespace reorder
