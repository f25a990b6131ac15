// Proofs of a layer that several kinds of compute units can run, as toys: one of the same claim for each of them. True
// claims are accepted, false ones never, and no unit's part can be left out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "tests/support/proof_cases.h"
#include "tests/support/proof_enumeration.h"
#include "tests/support/proof_prover.h"
#include "tests/support/proof_toys.h"

namespace heliolite::check_proof_units_test {
namespace {

using namespace heliolite::testing;
using check_proof::Big;
using check_proof::Claim;
using check_proof::Cost;
using check_proof::Objective;
using ::testing::HasSubstr;

constexpr int kMostMappings = 600;
constexpr std::array kValues = {check_proof::kEnergy, check_proof::kEdp, check_proof::kEd2p, check_proof::kDelay};

// One compute unit: its instance, all its costs, and the proof of its own curve, which has the mapping of each corner.
struct Unit {
  std::string text;
  check_proof::Instance instance;
  std::vector<Cost> costs;
  ToyProof own;
};

std::optional<Unit> unit_of(unsigned seed, bool rich) {
  ProofToys toys(seed);
  Unit out{toys.next(rich), {}, {}, {}};
  out.instance = instance_of_text(out.text);
  const auto costs = costs_of(out.instance, kMostMappings);
  if (!costs || costs->empty()) return std::nullopt;
  out.costs = *costs;
  out.own = ToyProver(out.instance, check_proof::kCurve).run();
  return out;
}

// Two units with mappings that are all known; none: these seeds have none.
std::optional<std::vector<Unit>> units_of(unsigned seed) {
  std::optional<Unit> a = unit_of(seed, seed % 2 == 0), b = unit_of(seed + 500, seed % 2 == 0);
  if (!a || !b) return std::nullopt;
  return std::vector{*std::move(a), *std::move(b)};
}

// The lines of the unit's mapping that costs this, where its own curve has it as a corner.
std::string mapping_of(const Unit& unit, const Cost& cost) {
  const auto at = std::ranges::find(unit.own.corners, cost);
  if (at == unit.own.corners.end()) return "";
  std::size_t begin = 0;
  for (auto skip = at - unit.own.corners.begin(); skip > 0; --skip)
    begin = unit.own.mapping.find("\nmapping ", begin) + 1;
  const std::size_t end = unit.own.mapping.find("\nmapping ", begin);
  return unit.own.mapping.substr(begin, end == std::string::npos ? end : end + 1 - begin);
}

// The part of one unit: the proof of the claim, with these mappings.
std::string part_of(const Unit& unit, const Claim& claim, const std::string& mappings) {
  ToyProof proof = ToyProver(unit.instance, claim.objective).run(claim);
  proof.mapping = "";
  proof.states = mappings + proof.states;
  return proof.text(unit.text);
}

std::string layer_of(const std::vector<std::string>& parts) {
  std::string out = "heliolite-layer 1\nunits " + std::to_string(parts.size()) + "\n";
  for (const std::string& part : parts) out += part;
  return out;
}

// That each corner of a claim is had by a mapping of the first unit that has one.
std::vector<std::string> parts_of(const std::vector<Unit>& units, const Claim& claim,
                                  const std::vector<Cost>& corners) {
  std::vector<std::string> mappings(units.size());
  for (const Cost& corner : corners)
    for (std::size_t k = 0; k < units.size(); ++k)
      if (const std::string lines = mapping_of(units[k], corner); !lines.empty()) {
        mappings[k] += lines;
        break;
      }
  std::vector<std::string> out;
  for (std::size_t k = 0; k < units.size(); ++k) out.push_back(part_of(units[k], claim, mappings[k]));
  return out;
}

// What claims of the best of all units look like: of one value.
struct Best {
  Claim claim;
  Cost cost;
};

Best best_of(const std::vector<Unit>& units, Objective objective) {
  Best out;
  out.claim.kind = Claim::kOptimal, out.claim.objective = objective;
  std::vector<Cost> all;
  for (const Unit& unit : units) std::ranges::copy(unit.own.corners, std::back_inserter(all));
  // A value's least is at a corner of some unit's curve.
  const auto value = [&](const Cost& c) { return check_proof::value_of(objective, c); };
  out.cost = *std::ranges::min_element(all, {}, value);
  for (const Unit& unit : units)
    for (const Cost& c : unit.costs) EXPECT_GE(value(c), value(out.cost));
  set_value(out.claim, out.cost);
  return out;
}

Claim curve_of(const std::vector<Unit>& units) {
  std::vector<Cost> all;
  for (const Unit& unit : units) std::ranges::copy(unit.own.corners, std::back_inserter(all));
  std::ranges::sort(all, {}, [](const Cost& c) { return std::pair(c.cycles, c.energy); });
  Claim out;
  out.kind = Claim::kOptimal, out.objective = check_proof::kCurve;
  for (const Cost& c : all) {
    if (!out.corners.empty() && c.energy >= out.corners.back().energy) continue;
    const auto step = [&] { return Cost{out.corners.back().energy - c.energy, c.cycles - out.corners.back().cycles}; };
    while (!out.steps.empty() && !check_proof::is_steeper(out.steps.back(), step()))
      out.corners.pop_back(), out.steps.pop_back();
    if (!out.corners.empty()) out.steps.push_back(step());
    out.corners.push_back(c);
  }
  return out;
}

std::string replaced_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

TEST(CheckProofUnits, OptimaOfAllUnitsAreAcceptedAndNothingAbove) {
  int checked = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto units = units_of(seed);
    if (!units) continue;
    for (const Objective o : kValues) {
      const Best best = best_of(*units, o);
      const std::string text = layer_of(parts_of(*units, best.claim, {best.cost}));
      const Checked answer = check(text);
      ASSERT_EQ(answer.verdict, Verdict::Accepted) << answer.line << ": " << answer.what << "\n" << text;
      EXPECT_THAT(answer.what, HasSubstr("no legal mapping on any of 2 units has"));
      EXPECT_THAT(answer.what, HasSubstr(", the mapping has it; "));
      Claim above = best.claim;
      above.kind = Claim::kBound;
      set_value(above, o == check_proof::kDelay ? Cost{best.cost.energy + 1, best.cost.cycles} : best.cost);
      check_proof::multiply(above.value, 1, 1);
      const std::string higher = replaced_all(text, claim_line(best.claim), claim_line(above));
      ASSERT_EQ(check(higher).verdict, Verdict::Rejected) << higher;
    }
    ++checked;
  }
  EXPECT_GT(checked, 8);
}

TEST(CheckProofUnits, CurvesHaveCornersOnDifferentUnits) {
  int checked = 0, mixed = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    const auto units = units_of(seed);
    if (!units) continue;
    const Claim curve = curve_of(*units);
    const std::vector<std::string> parts = parts_of(*units, curve, curve.corners);
    const Checked answer = check(layer_of(parts));
    ASSERT_EQ(answer.verdict, Verdict::Accepted) << answer.line << ": " << answer.what << "\n" << layer_of(parts);
    EXPECT_THAT(answer.what, HasSubstr(", mappings have its "));
    const auto has_mapping = [](const std::string& part) { return part.find("\nmapping ") != std::string::npos; };
    mixed += std::ranges::all_of(parts, has_mapping);
    // Without one of them the corner is nobody's.
    std::vector<Cost> others = curve.corners;
    others.pop_back();
    ASSERT_EQ(check(layer_of(parts_of(*units, curve, others))).verdict, Verdict::Rejected);
    // Each corner moved up is no bound any more.
    Claim higher = curve;
    higher.kind = Claim::kBound;
    ++higher.corners.back().energy;
    const std::string above = replaced_all(layer_of(parts), claim_line(curve), claim_line(higher));
    ASSERT_EQ(check(above).verdict, Verdict::Rejected) << above;
    ++checked;
  }
  EXPECT_GT(checked, 15);
  EXPECT_GT(mixed, 3);
}

TEST(CheckProofUnits, EachUnitHasAProofOfTheSameClaim) {
  int checked = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto units = units_of(seed);
    if (!units) continue;
    const Best best = best_of(*units, check_proof::kEdp);
    const std::vector<std::string> parts = parts_of(*units, best.claim, {best.cost});
    const std::string text = layer_of(parts), &a = parts[0], &b = parts[1];
    const auto is_rejected = [&](const std::string& mutant) {
      EXPECT_EQ(check(mutant).verdict, Verdict::Rejected) << mutant;
    };
    EXPECT_EQ(check(layer_of({b, a})).verdict, Verdict::Accepted);  // in any order
    const std::string two = "heliolite-layer 1\nunits 2\n";
    for (const std::string& part : parts) is_rejected(two + part);
    is_rejected(text + b);
    is_rejected("heliolite-layer 1\nunits 3\n" + a + b);
    is_rejected("heliolite-layer 1\nunits 1\n" + a + b);
    is_rejected("heliolite-layer 1\nunits 0\n" + a + b);
    is_rejected("heliolite-layer 1\nunits 2 2\n" + a + b);
    is_rejected("units 2\n" + a + b);
    is_rejected(a + b);
    is_rejected(two + text);
    // A claim that one unit alone makes: smaller, of another kind, of nothing.
    Claim other = best.claim;
    check_proof::divide(other.value, 2);
    other.kind = Claim::kBound;
    for (const bool is_first : {false, true}) {
      const std::string bound = part_of((*units)[is_first ? 0 : 1], other, "");
      is_rejected(is_first ? layer_of({bound, b}) : layer_of({a, bound}));
    }
    Claim same = best.claim;
    same.kind = Claim::kBound;
    is_rejected(layer_of({part_of((*units)[0], same, ""), part_of((*units)[1], best.claim, "")}));
    is_rejected(layer_of(parts_of(*units, best.claim, {})));                            // no mapping has it
    EXPECT_EQ(check(layer_of(parts_of(*units, same, {}))).verdict, Verdict::Accepted);  // nor need it here
    EXPECT_EQ(check(layer_of(parts_of(*units, same, {best.cost}))).verdict, Verdict::Accepted);
    // The best of one unit is no claim of a layer whose other unit is better.
    const Best first = best_of({(*units)[0]}, check_proof::kEdp), second = best_of({(*units)[1]}, check_proof::kEdp);
    if (first.claim.value != second.claim.value) {
      Claim worse = first.claim.value > second.claim.value ? first.claim : second.claim;
      worse.kind = Claim::kBound;
      is_rejected(replaced_all(layer_of(parts_of(*units, same, {})), claim_line(same), claim_line(worse)));
    }
    // Energies of another unit.
    const std::string finer = "unit " + std::to_string((*units)[1].instance.unit_bits + 1) + "\n";
    const std::size_t at = b.find("unit "), end = b.find("heliolite-proof 1\n");
    std::string instance = b.substr(0, at) + finer + b.substr(b.find('\n', at) + 1, end - b.find('\n', at) - 1);
    const std::size_t claim = b.find("claim ", end);
    is_rejected(layer_of(
        {a, instance + "heliolite-proof 1\ninstance " + check_proof::sha256(instance) + "\n" + b.substr(claim)}));
    ++checked;
  }
  EXPECT_GT(checked, 8);
}

// A network of a layer on two units, and of a layer on one, which runs three times.
TEST(CheckProofUnits, NetworksAddUpWhatTheBestUnitsDo) {
  int checked = 0;
  for (unsigned seed = 0; seed < 80; ++seed) {
    const auto units = units_of(seed);
    const std::optional<Unit> single = unit_of(seed + 1000, seed % 2 == 0);
    if (!units || !single) continue;
    const Claim curve = curve_of(*units);
    const std::string tail = layer_of(parts_of(*units, curve, curve.corners)) + single->own.text(single->text);
    std::vector<Cost> all;
    for (const Unit& unit : *units)
      for (const Cost& c : unit.costs)
        for (const Cost& d : single->costs) all.push_back({c.energy + 3 * d.energy, c.cycles + 3 * d.cycles});
    for (const Objective o : kValues) {
      const auto value = [&](const Cost& c) { return check_proof::value_of(o, c); };
      Claim claim;
      claim.kind = Claim::kOptimal, claim.objective = o;
      set_value(claim, *std::ranges::min_element(all, {}, value));
      const auto head = [&](const Claim& of) {
        return "heliolite-network 1\nunit " + std::to_string(single->instance.unit_bits) + "\n" + claim_line(of) +
               "\nlayers 1 3\n";
      };
      const Checked answer = check(head(claim) + tail);
      ASSERT_EQ(answer.verdict, Verdict::Accepted) << answer.line << ": " << answer.what << head(claim) + tail;
      EXPECT_THAT(answer.what, HasSubstr("no choice of mappings of 2 layers"));
      Claim above = claim;
      check_proof::multiply(above.value, 1, 1);
      for (Cost& corner : above.corners) ++corner.energy;
      for (const Claim::Kind kind : {Claim::kOptimal, Claim::kBound}) {
        above.kind = kind;
        ASSERT_EQ(check(head(above) + tail).verdict, Verdict::Rejected);
      }
      // Without the lines that say that its proofs are of one layer they are too many, or of the wrong layers.
      const std::string begin = "heliolite-layer 1\nunits 2\n";
      ASSERT_EQ(check(head(claim) + tail.substr(begin.size())).verdict, Verdict::Rejected);
    }
    ++checked;
  }
  EXPECT_GT(checked, 5);
}

// Lines dropped, doubled, exchanged, digits changed, mostly with digests that are right again.
TEST(CheckProofUnits, MutantsAreRejectedOrTrue) {
  int rejected = 0, tried = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const auto units = units_of(seed);
    if (!units) continue;
    const Best best = best_of(*units, check_proof::kEdp);
    const std::vector<std::string> lines = lines_of(layer_of(parts_of(*units, best.claim, {best.cost})));
    ProofToys random(seed + 1);
    for (std::size_t k = 0; k < lines.size() && lines.size() < 200; ++k) {
      std::vector<std::string> mutant = lines;
      random.change_line(mutant, k);
      const Checked answer = check(joined(mutant));
      // The instances' digests are those of before, so what is accepted is of the same units.
      if (answer.verdict == Verdict::Accepted) {
        EXPECT_THAT(answer.what, HasSubstr("on any of 2 units has an EDP below ")) << joined(mutant);
        const std::string text = joined(mutant);
        EXPECT_NE(text.find(claim_line(best.claim)), std::string::npos) << text;
      } else {
        ++rejected;
      }
      ++tried;
    }
  }
  EXPECT_GT(tried, 100);
  EXPECT_GT(rejected, tried / 2);
}

// Bytes changed at random in the lines of a layer and in its first unit: an answer, always.
TEST(CheckProofUnits, AnswersToAnyBytes) {
  std::optional<std::vector<Unit>> units;
  for (unsigned seed = 0; !units; ++seed) units = units_of(seed);
  const Best best = best_of(*units, check_proof::kEdp);
  const std::string text = layer_of(parts_of(*units, best.claim, {best.cost}));
  ProofToys random(3);
  for (int k = 0; k < 1500; ++k) {
    std::string mutant = text;
    random.change_bytes(mutant, k % 2 == 0 ? 60 : mutant.size());
    EXPECT_FALSE(check(mutant).what.empty());
  }
}

}  // namespace
}  // namespace heliolite::check_proof_units_test
