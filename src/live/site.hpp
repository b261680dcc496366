// SPDX-License-Identifier: BSD-3-Clause
// site.hpp - who gets what: requests of browsers and of Prometheus, and those that get nothing
//
// The page's own files are the same for everybody. What the job does is only for those who know the token, since every
// user of the machine can reach the loopback address. A page of another site cannot ask: its name is in the Host header
// (also when its name leads to the loopback address), or in the Origin header.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "live/watched.hpp"
#include "live/web.hpp"

namespace cairn::live {

/// What is only for those who know the token: answers by path.
using JobAnswers = std::map<std::string, std::function<Answer(const Request&)>>;

/// The paths that change something, for POST alone.
inline constexpr const char* set_path = "/api/set";
inline constexpr const char* policy_path = "/api/policy";

/// What is wrong with a policy of that name, for the job that is watched; "": nothing.
using PolicyCheck = std::function<std::string(const std::string& name, const std::string& text)>;

/// Of a job that is watched; it must live as long. `may_set`: whether its control variables are set for those who ask,
/// and policies given to it that have passed the check.
JobAnswers answers_about(Watched& watched, bool may_set, PolicyCheck check);
/// Of a recording: `looks` is a JSON array of its lines.
JobAnswers answers_about(const std::string& looks);

class Site {
 public:
  Site(JobAnswers job, std::string token, std::vector<Asset> assets)
      : job_(std::move(job)), token_(std::move(token)), assets_(std::move(assets)) {}

  Answer answer(const Request& request) const;

 private:
  bool knows_token(const Request& request) const;

  JobAnswers job_;
  std::string token_;
  std::vector<Asset> assets_;
};

/// 128 random bits as letters.
std::string new_token();

/// The first word of a file, which is made with a new token if it is not there. Throws Problem: it cannot be read or
/// made, others can read it, or what is in it is no token.
std::string token_in(const std::string& path);

}  // namespace cairn::live
