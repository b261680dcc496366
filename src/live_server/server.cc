// SPDX-License-Identifier: BSD-3-Clause
// server.cc - the library that serves the live page: the one that knows libmicrohttpd
//
// One thread serves all connections. Each has bounded memory, so that no client can make it grow.

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "assets.hpp"
#include "connections.hpp"
#include "live/web.hpp"

namespace cairn::live_server {

namespace {

constexpr unsigned idle_limit_s = 10;
constexpr std::size_t memory_limit = 16384;  // of a connection: its request's lines must fit

struct Server {
  live::Answering answering;
  Connections connections;
};

// ------------------------------------------------------------ requests

std::string header_of(MHD_Connection* connection, MHD_ValueKind kind, const char* name) {
  const char* const value = MHD_lookup_connection_value(connection, kind, name);
  return value == nullptr ? "" : value;
}

MHD_Result send(MHD_Connection* connection, const live::Answer& answer) {
  MHD_Response* const response = MHD_create_response_from_buffer(
      answer.body.size(), const_cast<char*>(answer.body.data()), MHD_RESPMEM_MUST_COPY);  // NOLINT: it is copied
  if (response == nullptr) return MHD_NO;
  const std::pair<const char*, const char*> headers[] = {
      {"Content-Type", answer.type.c_str()},
      {"Content-Security-Policy", "default-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cache-Control", "no-store"},
  };
  for (const auto& [name, value] : headers) MHD_add_response_header(response, name, value);
  if (!answer.allow.empty()) MHD_add_response_header(response, "Allow", answer.allow.c_str());
  const MHD_Result result = MHD_queue_response(connection, static_cast<unsigned>(answer.status), response);
  MHD_destroy_response(response);
  return result;
}

/// What a client sends with a POST.
struct Body {
  std::string text;
  std::size_t size = 0;  // also of what was not kept
};

/// Called with the headers, then with each part of a body, then once more.
MHD_Result on_request(void* self, MHD_Connection* connection, const char* path, const char* method,
                      const char* /*version*/, const char* part, std::size_t* size, void** state) try {
  const bool has_body = std::strcmp(method, "POST") == 0;
  if (has_body && *state == nullptr) {
    *state = new Body;
    return MHD_YES;
  }
  auto* const body = static_cast<Body*>(*state);
  if (has_body && *size != 0) {
    body->size += *size;
    if (body->size <= live::most_of_body) body->text.append(part, *size);
    *size = 0;
    return body->size <= 64 * live::most_of_body ? MHD_YES : MHD_NO;  // nobody has to listen for ever
  }
  if (has_body && body->size > live::most_of_body)
    return send(connection, {413, "text/plain; charset=utf-8", "cairn live: that is too large\n"});
  const live::Request request = {method,
                                 path,
                                 header_of(connection, MHD_HEADER_KIND, "Host"),
                                 header_of(connection, MHD_HEADER_KIND, "Origin"),
                                 header_of(connection, MHD_HEADER_KIND, "Authorization"),
                                 header_of(connection, MHD_GET_ARGUMENT_KIND, "after"),
                                 header_of(connection, MHD_GET_ARGUMENT_KIND, "variable"),
                                 header_of(connection, MHD_GET_ARGUMENT_KIND, "value"),
                                 header_of(connection, MHD_GET_ARGUMENT_KIND, "ranks"),
                                 has_body ? std::move(body->text) : std::string()};
  return send(connection, static_cast<Server*>(self)->answering(request));
} catch (const std::exception&) {  // no memory: the connection is closed
  return MHD_NO;
}

void on_end(void* /*self*/, MHD_Connection* /*connection*/, void** state, MHD_RequestTerminationCode /*why*/) {
  delete static_cast<Body*>(std::exchange(*state, nullptr));
}

void on_connection(void* self, MHD_Connection* connection, void** place, MHD_ConnectionNotificationCode what) {
  Connections& connections = static_cast<Server*>(self)->connections;
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    const MHD_ConnectionInfo* const about = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    *place = new Connections::Place(connections.add(about->connect_fd));
  } else if (auto* const own = static_cast<Connections::Place*>(std::exchange(*place, nullptr)); own != nullptr) {
    connections.remove(*own);
    delete own;
  }
}

void drop_words(void* /*self*/, const char* /*form*/, va_list /*values*/) {}

// ------------------------------------------------------------ the start

/// -1: `problem` says why.
int listening_socket(int& port, std::string& problem) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int yes = 1;
  if (made >= 0 && setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 && bind(made, plain, size) == 0 &&
      ::listen(made, 128) == 0 && getsockname(made, plain, &size) == 0) {
    port = ntohs(address.sin_port);
    return made;
  }
  problem = std::strerror(errno);
  if (made >= 0) close(made);
  return -1;
}

std::string serve(int& port, live::Answering answering) {
  std::string problem;
  const int listening = listening_socket(port, problem);
  if (listening < 0) return problem;
  auto* const server = new Server{std::move(answering), {}};  // until the process ends
  MHD_Daemon* const daemon = MHD_start_daemon(
      MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ERROR_LOG, 0, nullptr, nullptr, on_request, server,
      MHD_OPTION_EXTERNAL_LOGGER, drop_words, nullptr, MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_CONNECTION_LIMIT,
      static_cast<unsigned>(Connections::most + 32), MHD_OPTION_CONNECTION_TIMEOUT, idle_limit_s,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory_limit, MHD_OPTION_NOTIFY_CONNECTION, on_connection, server,
      MHD_OPTION_NOTIFY_COMPLETED, on_end, server, MHD_OPTION_END);
  return daemon == nullptr ? "libmicrohttpd could not be started" : "";
}

std::vector<live::Asset> assets() {
  return {{"/", "text/html; charset=utf-8", web::live_html},
          {"/live.css", "text/css; charset=utf-8", web::live_css},
          {"/live.js", "text/javascript; charset=utf-8", web::live_js},
          {"/player.js", "text/javascript; charset=utf-8", web::player_js},
          {"/traffic.js", "text/javascript; charset=utf-8", web::traffic_js},
          {"/variables.js", "text/javascript; charset=utf-8", web::variables_js},
          {"/controls.js", "text/javascript; charset=utf-8", web::controls_js},
          {"/chart.js", "text/javascript; charset=utf-8", web::chart_min_js}};
}

}  // namespace

}  // namespace cairn::live_server

extern "C" [[gnu::visibility("default")]] const cairn::live::WebLibrary cairn_web_library;
const cairn::live::WebLibrary cairn_web_library{cairn::live_server::assets, cairn::live_server::serve};
