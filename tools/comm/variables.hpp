// SPDX-License-Identifier: BSD-3-Clause
// variables.hpp - the record as variables of MPI_T: our own set, and the names of Open MPI's monitoring component
#pragma once

#include <mpi.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "cairn/kit/self.hpp"
#include "cairn/kit/variables.hpp"
#include "monitor.hpp"

namespace comm {

class OwnVariables {
 public:
  /// `writes_files`: whether programs may have files written by control variables.
  OwnVariables(cairn::Self self, Monitor& monitor, bool writes_files)
      : self_(self), monitor_(monitor), writes_files_(writes_files) {}

  /// Once, when the tool starts; write_snapshot is set before.
  void offer();
  std::function<bool()> write_snapshot;

  /// When MPI is finalized: what pml_monitoring_enable_output asks for.
  void write_output();

  /// Tells the user if it cannot be written.
  bool write_file(const std::string& path, const std::string& text) const;

 private:
  friend struct FlushHandle;
  friend struct MonitoringHandle;

  void offer_own(const cairn::Variables& variables);
  void offer_controls(const cairn::Variables& variables);
  void offer_monitoring_names();
  void offer_monitoring_controls(const cairn::Variables& variables);
  int monitoring_flags() const;
  std::string monitoring_file();
  void set_monitoring_file(std::string file);

  unsigned long file_bytes(Kind kind);
  /// Forgets what came before, for the next flush and for the handles with the monitoring component's names.
  void reset();
  void start_anew(Amounts now);
  /// Of the control variables: kept if it was done.
  cairn_answer flush_to(const std::string& file);
  cairn_answer take_snapshot(int number);
  cairn_answer name_phase(const std::string& name);
  /// What came since the last time into FILE.RANK.prof; "": nowhere.
  bool flush(const std::string& file);
  std::string take_prof();

  cairn::Self self_;
  Monitor& monitor_;
  const bool writes_files_;
  std::atomic<int> output_ = 0;  // of what came since the last flush, when MPI is finalized
  std::mutex lock_;              // of all below
  Amounts flushed_;
  Rows flushed_rows_;
  unsigned flushes_ = 0;
  std::string phase_;
  std::string flushed_to_;
  std::string monitoring_file_;
  int snapshot_ = 0;
};

}  // namespace comm
