#pragma once
// The prices of a level (docs/cost_model.md, rules 18, 19, 22, 23, 25 and 26): what a machine states of it in pJ, taken
// for the values of a tensor, and the formulas of what accesses, addresses, networks and time come to by them. Costs
// and bounds both ask these formulas: a price is a member, where it comes from, and a term, all of them here.
#include <algorithm>
#include <type_traits>

#include "arch/architecture.h"
#include "engine/base/types.h"
#include "engine/model/cost.h"

namespace heliolite {

// What a tensor's values cost at a level and on the network below it: in pJ, or in energy units (2^-32 pJ).
template <class Number>
struct ValuePrices {
  Number read{}, fill{}, update{};    // of one access: of a block where blocks have several words, else of a value
  Number address{};                   // of a value
  Number hop{}, router{}, ingress{};  // of a value: over one hop, through one router, and into the network

  Number most() const { return std::max({read, fill, update, address, hop, router, ingress}); }
};

using ValueUnits = ValuePrices<u64>;

// Prices of a value that takes this share of a word; accesses of blocks cost what they cost, whatever is in them.
// `number` makes a price of pJ.
template <class Number, class Convert>
ValuePrices<Number> value_prices(const StorageLevel& level, double share, Convert&& number) {
  const double access = level.block_words == 1 ? share : 1;
  return {number(level.energy.read_pj * access),   number(level.energy.fill_pj * access),
          number(level.energy.update_pj * access), number(level.address_generation_pj * share),
          number(level.network.hop_pj * share),    number(level.network.router_pj * share),
          number(level.network.ingress_pj * share)};
}

// What one instance costs in each cycle, whatever it does.
inline double picojoules_per_cycle(const StorageLevel& level) { return level.leak_pj_per_cycle; }

// Energy units of accesses; a double where counts or prices are.
template <class Price, class Count>
constexpr auto price_of_accesses(const ValuePrices<Price>& price, const Accesses<Count>& accesses) {
  using Sum = std::conditional_t<std::is_integral_v<Price> && std::is_integral_v<Count>, u128, double>;
  const auto pay = [](Count count, Price each) { return static_cast<Sum>(count) * static_cast<Sum>(each); };
  return pay(accesses.reads, price.read) + pay(accesses.fills, price.fill) + pay(accesses.updates, price.update);
}

// Words for which addresses are generated (rule 23): an output's update serves its read, too.
template <class Number>
constexpr Number addressed_words(const Accesses<Number>& words, bool is_output) {
  return (is_output ? words.updates : words.reads) + words.fills;
}
constexpr u128 price_of_addresses(const ValueUnits& price, const Accesses<u64>& words, bool is_output) {
  return static_cast<u128>(addressed_words(words, is_output)) * price.address;
}

// Energy units of `count` events of one price: counts may be averages, and below zero where boxes have holes.
constexpr u128 price_of(u64 count, u64 each) { return static_cast<u128>(count) * each; }
constexpr u128 price_of(double count, u64 each) {
  return static_cast<u128>(std::max(0.0, count) * static_cast<double>(each));
}

// Energy units of words on a network: as they enter it, over their hops and through their routers (rule 26).
template <class Entering, class Routing>
constexpr u128 price_of_sending(const ValueUnits& price, Entering entering, double hop_words, Routing router_words) {
  return price_of(hop_words, price.hop) + price_of(router_words, price.router) + price_of(entering, price.ingress);
}

// Energy units of words that receivers take from each other: one hop between two routers.
constexpr u128 price_of_peers(const ValueUnits& price, double words) {
  return price_of(words, price.hop + 2 * price.router);
}

}  // namespace heliolite
