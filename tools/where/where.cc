// SPDX-License-Identifier: BSD-3-Clause
// where.cc - has calls recorded for `cairn where`, and tells by itself when the job does not move any more

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "cairn/kit.hpp"
#include "cairn/kit/duration.hpp"
#include "cairn/kit/start.hpp"
#include "cairn/services/symbols.hpp"
#include "deaths.hpp"
#include "shared/helper_thread.hpp"
#include "shared/recording.hpp"
#include "watch.hpp"

namespace where_tool {

class Where {
 public:
  static constexpr std::string_view about =
      "records each rank's last calls for 'cairn where'; tells who keeps a job from moving";
  struct Options {
    cairn::Duration hang;
    bool end = false;
    unsigned calls = 4096;
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("hang", hang,
            "tells what holds up the job once nothing has happened for this long, such as 60s; off: never");
      visit("end", end, "whether it is ended, with exit code 124, if none of its ranks can move: on or off");
      visit("calls", calls, "calls kept of each thread, at 64 bytes each");
    }
  };
  using Needs = cairn::ServiceList<cairn::Recorder>;

  Where(cairn::Self self, const Options& options)
      : self_(self),
        end_(options.end),
        interval_s_(std::max(0.1, options.hang.seconds / 10)),
        recorder_(shared::recording(self_, options.calls)),
        deaths_(recorder_) {
    if (options.end && options.hang.seconds <= 0)
      throw std::runtime_error("end: only jobs that hang are ended, as in where=hang:60s:end");
    if (options.hang.seconds > 0)
      watch_.emplace(recorder_, self.find<cairn::Symbols>(), options.hang.seconds, interval_s_, options.end);
  }

  /// From before MPI_Init on, which may be where ranks hang.
  template <cairn::Function F>
  requires(cairn::starts_mpi<F>()) int on(cairn::Call<F>& call) {
    if (watch_ && !started_.exchange(true)) watch();
    const int result = call.proceed();
    if (start_.is_first(result)) deaths_.begin();
    return result;
  }

  int on(cairn::Call<cairn::Function::MPI_Finalize_>& call) {
    const int result = call.proceed();
    deaths_.end();
    thread_.stop();
    return result;
  }

 private:
  void watch() {
    if (!thread_.start(interval_s_, [this] { look(); }))
      self_.warn("hang: nobody watches the job: the system cannot create another thread");
  }

  void look() {
    if (is_done_) return;
    const std::optional<Sight> sight = watch_->look();
    if (!sight) return;
    const bool ends = end_ && sight->is_hopeless;
    is_done_ = ends || !end_;
    std::string text = "cairn: " + sight->title + "\n" + sight->text;
    if (ends) text += "cairn: the job is ended: where=end:on\n";
    if (write(STDERR_FILENO, text.data(), text.size()) < 0) text.clear();  // nobody listens
    self_.write("where.json", sight->json);
    if (ends) recorder_.tell_end("where=end:on: the job did not move");
    if (ends) _exit(124);  // as timeout(1) does; the launcher ends the other ranks
  }

  cairn::Self self_;
  bool end_;
  double interval_s_;  // between two looks
  const cairn::Recorder& recorder_;
  Deaths deaths_;
  cairn::MpiStart start_;
  std::optional<Watch> watch_;
  shared::HelperThread thread_;
  std::atomic<bool> started_{false};
  bool is_done_ = false;
};

}  // namespace where_tool

CAIRN_TOOL(where_tool::Where)
