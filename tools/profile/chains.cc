// SPDX-License-Identifier: BSD-3-Clause
// chains.cc - finding the number of a chain

#include "chains.hpp"

#include "cairn/kit/flat_table.hpp"

namespace profile {

namespace {

std::size_t hash_of(const Chain& chain) {
  std::uint64_t hash = chain.length;
  for (std::size_t i = 0; i < chain.length; ++i)
    hash = cairn::spread(hash ^ reinterpret_cast<std::uintptr_t>(chain.addresses[i]));
  return hash >> 32U;
}

}  // namespace

Place Chains::number(const Chain& chain) {
  if (chain.length == 1) return reinterpret_cast<std::uintptr_t>(chain.addresses[0]);
  std::size_t i = hash_of(chain) % by_hash_.size();
  for (; by_hash_[i] != 0; i = (i + 1) % by_hash_.size()) {
    const Chain& known = chains_[by_hash_[i] - 1];
    if (known.length == chain.length && known.addresses == chain.addresses) return chain_mark | by_hash_[i];
  }
  if (chains_.size() >= Sites::limit) return 0;
  chains_.push_back(chain);
  by_hash_[i] = static_cast<std::uint32_t>(chains_.size());
  const Place place = chain_mark | chains_.size();
  if (2 * chains_.size() > by_hash_.size()) {
    by_hash_.assign(4 * by_hash_.size(), 0);
    for (std::size_t number = 1; number <= chains_.size(); ++number) {
      std::size_t slot = hash_of(chains_[number - 1]) % by_hash_.size();
      while (by_hash_[slot] != 0) slot = (slot + 1) % by_hash_.size();
      by_hash_[slot] = static_cast<std::uint32_t>(number);
    }
  }
  return place;
}

Chain Chains::chain_of(Place place) const {
  if ((place & chain_mark) != 0) return chains_[(place & ~chain_mark) - 1];
  Chain chain;
  if (place != 0) chain.addresses[chain.length++] = reinterpret_cast<const void*>(place);
  return chain;
}

}  // namespace profile
