// SPDX-License-Identifier: BSD-3-Clause
// controls.hpp - control variables of a running job, as the tool `steer` publishes them, and orders to set them
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "formats/json_writer.hpp"
#include "formats/steer_board.hpp"
#include "where/jobs.hpp"

namespace cairn::live {

class Controls {
 public:
  void look(const where::JobPages& job, int size, double time, std::vector<std::string>& problems);

  bool is_known() const { return !all_.empty(); }
  /// All variables, with the values that ranks have.
  std::string json() const;
  /// The latest changes, and what each rank has answered: an array, of which the name is written already.
  void put_changes(formats::JsonWriter& json) const;

  /// Orders ranks ("0-3,8"; "": all) to set a variable. "", or why that cannot be.
  std::string order(const std::string& name, const std::string& value, const std::string& ranks);

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
    std::string path;
    std::uint64_t at = 0;
    std::uint64_t asked = 0;
    std::uint64_t answered = 0;
  };
  struct Answer {
    std::uint64_t order;  // the rank's
    bool is_there = false;
    bool is_set = false;
    std::string text;
  };
  struct Change {
    double time;
    std::string name, value;
    std::map<int, Answer> answers;
  };

  static void put(formats::JsonWriter& json, const std::string& name, const Control& control);
  void read(const std::string& path, int rank);
  void hear(int rank, const formats::steer::Mailbox& mailbox);
  std::string why_not(const Control& control, const std::string& value, const std::vector<int>& ranks) const;
  bool write(Mailbox& mailbox, std::uint32_t number, const std::string& value) const;

  int size_ = 0;
  double time_ = 0;
  std::map<std::string, Control> all_;
  std::map<int, Mailbox> mailboxes_;
  std::deque<Change> changes_;
};

}  // namespace cairn::live
