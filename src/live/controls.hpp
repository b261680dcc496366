// SPDX-License-Identifier: BSD-3-Clause
// controls.hpp - control variables of a running job, as the tool `steer` publishes them, and orders to ranks: to set
// them, and to follow a policy
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/json_writer.hpp"
#include "formats/steer_board.hpp"
#include "live/orders.hpp"
#include "where/jobs.hpp"

namespace cairn::live {

class Controls {
 public:
  /// `all_heard`: a rank without a page is gone.
  void look(const where::JobPages& job, int size, double time, std::vector<std::string>& problems,
            bool all_heard = true);
  /// The job is over: nobody answers any more.
  void end();

  bool is_known() const { return !all_.empty(); }
  /// All variables, with the values that ranks have.
  std::string json() const;
  /// The latest changes, and what each rank has answered: an array, of which the name is written already.
  void put_changes(formats::JsonWriter& json) const;

  /// Orders ranks ("0-3,8"; "": all) to set a variable. "", or why that cannot be.
  std::string order(const std::string& name, const std::string& value, const std::string& ranks);
  /// Gives all ranks a policy, which they follow from the same collective call on. Likewise.
  std::string give_policy(const std::string& name, const std::string& text);
  /// Whether ranks take one.
  bool takes_policies() const { return !boxes(Box::policy).empty(); }
  /// Lines with those that have not come to ranks on other nodes yet, by host: they are sent until they have.
  std::map<std::string, std::string> orders_under_way() const;

 private:
  static constexpr std::size_t most_controls = 10'000;
  static constexpr std::size_t most_changes = 50;
  struct Control {
    std::string type, scope, text, values;
    bool only_together = false;
    std::map<int, std::string> value;      // by rank
    std::map<int, std::uint32_t> numbers;  // on the rank's board
  };
  struct Mailbox {
    std::string page;  // its path; with the node's name in front where that is another one
    bool is_here = false;
    std::uint64_t asked = 0;
    std::uint64_t answered = 0;
    std::optional<Order> under_way;  // to another node
  };
  struct Answer {
    Order order;
    bool is_there = false;
    bool is_set = false;
    std::string text;
  };
  struct Change {
    double time;
    std::string name, value;
    std::map<int, Answer> answers;
  };
  using Mailboxes = std::map<int, Mailbox>;  // by rank

  static void put(formats::JsonWriter& json, const std::string& name, const Control& control);
  void read(const where::Process& process);
  void read_policy_box(const where::Process& process);
  void hear(Box box, const where::Process& process, bool is_here, const Letters& letters);
  void hear_answers(Box box, int rank, const Letters& letters);
  void leave(Box box, int rank);
  Answer ask(Box box, int rank, std::uint32_t control, const std::string& value);
  std::string why_not(Box box, int rank, const char* tool) const;
  std::string why_not(const Control& control, const std::string& value, const std::vector<int>& ranks) const;
  std::vector<int> all_ranks() const;
  void add(Change change);
  Mailboxes& boxes(Box box) { return mailboxes_[static_cast<std::size_t>(box)]; }
  const Mailboxes& boxes(Box box) const { return mailboxes_[static_cast<std::size_t>(box)]; }

  int size_ = 0;
  double time_ = 0;
  std::map<std::string, Control> all_;
  std::array<Mailboxes, 2> mailboxes_;  // by Box
  std::deque<Change> changes_;
};

}  // namespace cairn::live
