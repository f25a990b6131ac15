#pragma once
// Proofs of networks, which add those of their layers up; and what a whole text proves.
#include "check_proof/proof.h"

namespace check_proof {
// A network's proof: its claim, how often it runs each layer, and a proof of each layer's curve. What choices of one
// mapping for each layer cost is on or above the sum of the curves, which has the steps of all, steepest first. A claim
// that is closed at each corner of the sum is closed on and above it.
inline std::string proved_network(Lines& l, int threads) {
  l.expect("heliolite-network 1", 2);
  l.must("unit", 2);
  const u64 bits = l.integer(l.word(1));
  l.next();
  const Claim claim = Claim::read(l);
  if (claim.kind == Claim::kNone || bits > 64) l.wrong("a claim of a value expected, in units of 2^-64 pJ or more");
  l.must("layers", 0);
  std::vector<u64> runs;
  for (std::size_t k = 1; k < l.count(); ++k) runs.push_back(l.positive(l.word(k)));
  if (runs.empty() || runs.size() > 255) l.wrong("the runs of 1 to 255 layers expected");
  Cost sum;
  std::vector<Cost> steps;
  u64 states = 0;
  std::string instances;
  for (const u64 n : runs) {
    ProofChecker layer(l, threads);
    layer.run();
    const Claim& its = layer.claim();
    const u64 shift = bits - static_cast<u64>(layer.unit_bits());
    if (its.objective != kCurve || its.kind > claim.kind || shift > bits)
      l.wrong("a proof of a curve expected, in units no smaller than the network's");
    const int bits_left = 112 - static_cast<int>(shift) - std::bit_width(n);
    if (bits_left < 1 || its.curve.corners[0].energy >> bits_left != 0 ||
        its.curve.corners.back().cycles > (u64{1} << 54) / n)
      l.refuse("no proof of numbers as large as these yet");
    const auto times = [&](const Cost& c) { return Cost{(c.energy << shift) * static_cast<i128>(n), c.cycles * n}; };
    sum.energy += times(its.curve.corners[0]).energy, sum.cycles += times(its.curve.corners[0]).cycles;
    for (const Cost& s : its.curve.steps) steps.push_back(times(s));
    states += layer.states(), instances += " " + layer.instance();
  }
  std::ranges::stable_sort(steps, is_steeper);
  std::set<Value> corners;
  for (std::size_t k = 0;; ++k) {
    corners.insert(value_of(claim.objective, sum));
    if (!claim.is_closed(sum))
      l.wrong("the layers' proofs leave room for " + value_text(kDelay, value_of(kDelay, sum), static_cast<int>(bits)));
    if (k == steps.size()) break;
    sum.energy -= steps[k].energy, sum.cycles += steps[k].cycles;
  }
  for (const Value& v : claim.met())
    if (!corners.contains(v)) l.wrong("layers whose mappings have the claim's value expected");
  return claim.text(static_cast<int>(bits), "no choice of mappings of " + std::to_string(runs.size()) + " layers") +
         "; " + std::to_string(states) + " states; instances" + instances;
}
// What the whole text proves; throws where it is no proof.
inline std::string proved(Lines& lines, int threads) {
  const std::string out =
      lines.take("heliolite-network") ? proved_network(lines, threads) : ProofChecker(lines, threads).run();
  if (!lines.at_end()) lines.wrong("nothing expected behind this line");
  return out;
}
}  // namespace check_proof
