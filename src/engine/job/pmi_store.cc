// SPDX-License-Identifier: BSD-3-Clause
// pmi_store.cc - the store of launchers that speak PMI-1 to MPICH: Hydra's
//
// Lines of text on a socket that the launcher has opened: what MPICH itself does in MPI_Init. Before and after that
// nobody else uses it.

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "job/library.hpp"
#include "job/node_store.hpp"

namespace cairn::engine {

namespace {

/// With the first answer; a launcher that has given it gives the others. A rank that went on without them would take
/// another for absent, or be taken for present, and MPI would read the late ones as its own.
constexpr int patience_ms = 10'000;
constexpr int for_ever = -1;

class PmiStore : public Store {
 public:
  PmiStore(int socket, Start how) : socket_(socket), word_(how == Start::world ? "cairn-job-" : "cairn-session-") {}

  bool put_word(const std::string& rank) {
    if (!is_well(ask("cmd=init pmi_version=1 pmi_subversion=1\n", patience_ms))) return false;
    space_ = value_of(ask("cmd=get_my_kvsname\n"), "kvsname");
    return !space_.empty() && is_well(ask("cmd=put kvsname=" + space_ + " key=" + key_of(rank) + " value=yes\n"));
  }

  bool has(int rank) override {
    return is_well(ask("cmd=get kvsname=" + space_ + " key=" + key_of(std::to_string(rank)) + "\n"));
  }

 private:
  std::string key_of(const std::string& rank) const { return word_ + rank; }
  static bool is_well(const std::string& answer) { return value_of(answer, "rc") == "0"; }

  /// Of " name=value".
  static std::string value_of(const std::string& answer, const std::string& name) {
    const std::size_t at = answer.find(" " + name + "=");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + name.size() + 2;
    return answer.substr(begin, answer.find(' ', begin) - begin);
  }

  std::string ask(const std::string& question, int limit_ms = for_ever) const {
    for (std::size_t done = 0; done < question.size();) {
      const ssize_t more = write(socket_, question.data() + done, question.size() - done);
      if (more < 0 && errno != EINTR) return "";
      if (more > 0) done += static_cast<std::size_t>(more);
    }
    std::string answer;
    for (char sign = 0;;) {
      pollfd ready = {socket_, POLLIN, 0};
      const int events = poll(&ready, 1, limit_ms);
      if (events < 0 && errno == EINTR) continue;
      const ssize_t got = events > 0 ? read(socket_, &sign, 1) : 0;
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return "";
      if (sign == '\n') return answer;
      answer += sign;
    }
  }

  int socket_;
  std::string word_;
  std::string space_;
};

/// Hydra takes a second beginning on one connection, which ours is. Slurm's daemon does not: MPI_Init would never
/// return.
bool is_hydra() { return std::getenv("MPI_LOCALNRANKS") != nullptr; }

/// Of this very launcher: it comes with the connection.
bool is_alone() {
  const char* const size = std::getenv("PMI_SIZE");
  return size != nullptr && std::strcmp(size, "1") == 0;
}

/// In the first MPI_Session_init of MPICH 4.0 all processes of the job wait for each other, as in MPI_Init. Of others
/// that is not known.
bool sessions_start_together() {
  constexpr std::string_view name = "MPICH Version:";
  const std::string text = library_version();
  std::string_view rest(text);
  const std::size_t at = rest.find(name);
  if (at == std::string_view::npos) return false;
  rest.remove_prefix(at + name.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  return rest.starts_with("4.0");
}

}  // namespace

std::unique_ptr<Store> put_into_pmi_store(Start how) {
  const char* const socket = std::getenv("PMI_FD");
  const char* const rank = std::getenv("PMI_RANK");
  if (socket == nullptr || rank == nullptr || is_alone()) return nullptr;
  if (how == Start::session && !sessions_start_together()) return nullptr;
  if (!is_hydra()) return put_into_node_store(how, rank, folder_of_step());
  auto store = std::make_unique<PmiStore>(std::atoi(socket), how);
  return store->put_word(rank) ? std::move(store) : nullptr;
}

}  // namespace cairn::engine
