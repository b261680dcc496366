// SPDX-License-Identifier: BSD-3-Clause
// heir.cc - a tool that takes part in the will and says so: a line in $HEIRS for each time that it writes or withdraws.
//
// Its option `fails` has it crash, hang, abort or end the process while it writes, or be slow: 150 ms for each lower rank.
#include <mpi.h>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "cairn/kit.hpp"
#include "cairn/kit/will.hpp"

class Heir {
 public:
  static constexpr std::string_view about = "takes part in the will";
  struct Options {
    std::string_view fails = "";
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("fails", fails, "how it fails when it writes");
    }
  };
  Heir(cairn::Self self, const Options& options) : self_(self), fails_(options.fails), will_(self) {}

  int on(cairn::Call<cairn::Function::MPI_Init_>& call) {
    const int result = call.proceed();
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    will_.begin([this](const std::string& end) { write(end); }, [this] { note("withdrawn"); });
    return result;
  }
  void finish() { will_.end(); }

 private:
  void write(const std::string& end) const {
    if (fails_ == "slow") usleep(static_cast<useconds_t>(rank_) * 150'000);
    note(end);
    if (fails_ == "crash") *nowhere_ = 1;
    if (fails_ == "abort") std::abort();
    if (fails_ == "_exit") _exit(50);
    if (fails_ == "hang")
      for (;;) pause();
  }
  void note(const std::string& what) const {
    const std::string line = std::to_string(self_.level()) + " " + what + "\n";
    const int file = open(std::getenv("HEIRS"), O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (::write(file, line.data(), line.size()) < 0) _exit(51);
    close(file);
  }

  cairn::Self self_;
  std::string_view fails_;
  int rank_ = 0;
  int* volatile nowhere_ = nullptr;
  cairn::LastWill will_;
};

CAIRN_TOOL(Heir)
