// Proofs of toys' curves, and of networks of toys that add them up: true claims are accepted, false ones never.
#include <gtest/gtest.h>

#include <optional>

#include "tests/support/proof_cases.h"
#include "tests/support/proof_enumeration.h"
#include "tests/support/proof_prover.h"
#include "tests/support/proof_toys.h"

namespace heliolite::check_proof_networks_test {
namespace {

using namespace heliolite::testing;
using check_proof::Claim;
using check_proof::Cost;

constexpr int kMostMappings = 600;

// One toy: its text, the proof of its curve, all its costs.
struct Layer {
  std::string text;
  ToyProof proof;
  std::vector<Cost> costs;
};

std::optional<Layer> layer_of(unsigned seed, bool rich, ProverBug bug = ProverBug::None) {
  ProofToys toys(seed);
  Layer out{toys.next(rich), {}, {}};
  const check_proof::Instance instance = instance_of_text(out.text);
  const auto costs = costs_of(instance, kMostMappings);
  if (!costs || costs->empty()) return std::nullopt;
  out.costs = *costs;
  out.proof = ToyProver(instance, check_proof::kCurve, bug).run();
  return out;
}

// The costs of all choices of one mapping for each layer, run so often.
std::vector<Cost> choices(const std::vector<std::vector<Cost>>& layers, const std::vector<check_proof::u64>& runs) {
  std::vector<Cost> out{{0, 0}};
  for (std::size_t l = 0; l < layers.size(); ++l) {
    std::vector<Cost> more;
    for (const Cost& a : out)
      for (const Cost& b : layers[l])
        more.push_back({a.energy + b.energy * static_cast<check_proof::i128>(runs[l]), a.cycles + b.cycles * runs[l]});
    out = std::move(more);
  }
  return out;
}

check_proof::Big least_of(check_proof::Objective objective, const std::vector<Cost>& costs) {
  check_proof::Big out = check_proof::value_of(objective, costs.front());
  for (const Cost& c : costs) out = std::min(out, check_proof::value_of(objective, c));
  return out;
}

std::string network_text(const std::vector<Layer>& layers, const std::vector<check_proof::u64>& runs,
                         const std::string& claim) {
  std::string out = "heliolite-network 1\nunit " + std::to_string(instance_of_text(layers[0].text).unit_bits) +
                    "\nclaim " + claim + "\nlayers";
  for (const check_proof::u64 n : runs) out += " " + std::to_string(n);
  out += "\n";
  for (const Layer& l : layers) out += l.proof.text(l.text);
  return out;
}

// Whether what a text claims holds for all choices of mappings of its layers; also where there are too many to tell.
bool is_true(const std::string& text) {
  std::vector<std::vector<Cost>> layers;
  check_proof::u64 bits = 0;
  const std::string begin = "heliolite-instance 1\n";
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
    const check_proof::Instance instance = instance_of_text(text.substr(at));
    auto costs = costs_of(instance, kMostMappings);
    if (!costs) return true;
    layers.push_back(*std::move(costs));
    bits = static_cast<check_proof::u64>(instance.unit_bits);
  }
  check_proof::Lines lines(text);
  std::vector<check_proof::u64> runs(layers.size(), 1);
  if (lines.take("heliolite-network")) {
    lines.next();
    if (lines.integer(lines.word(1)) != bits) return true;  // other units scale all values alike
  }
  do lines.next();
  while (lines.word(0) != "claim");
  const Claim claim = Claim::read(lines);
  if (lines.take("layers"))
    for (std::size_t l = 0; l < runs.size(); ++l) runs[l] = lines.integer(lines.word(l + 1));
  const std::vector<Cost> all = choices(layers, runs);
  if (all.empty()) return claim.kind != Claim::kOptimal;
  const auto has = [&](const check_proof::Big& v) {
    return std::ranges::any_of(all, [&](const Cost& c) { return check_proof::value_of(claim.objective, c) == v; });
  };
  return std::ranges::all_of(all, [&](const Cost& c) { return claim.is_closed(c); }) &&
         (claim.kind != Claim::kOptimal || std::ranges::all_of(claim.values(), has));
}

// Two layers of equal units whose mappings are known, the second of them run three times; none: these seeds have none.
std::optional<std::vector<Layer>> layers_of(unsigned seed) {
  std::optional<Layer> a = layer_of(seed, seed % 2 == 0), b = layer_of(seed + 1, seed % 2 == 0);
  if (!a || !b || instance_of_text(a->text).unit_bits != instance_of_text(b->text).unit_bits) return std::nullopt;
  return std::vector{*std::move(a), *std::move(b)};
}
const std::vector<check_proof::u64> kRuns = {1, 3};

// With the digests of the lines above them, whatever they are now.
std::string with_digests(std::string text) {
  const std::string head = "heliolite-proof 1\ninstance ", begin = "heliolite-instance 1\n";
  for (std::size_t at = text.find(head); at != std::string::npos; at = text.find(head, at + 1)) {
    const std::size_t from = text.rfind(begin, at);
    if (from == std::string::npos || text.size() < at + head.size() + 64) continue;
    text.replace(at + head.size(), 64, check_proof::sha256(text.substr(from, at - from)));
  }
  return text;
}

TEST(CheckProofNetworks, CurvesOfAllMappingsAreAcceptedAndNothingAbove) {
  int corners = 0, checked = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const std::optional<Layer> layer = layer_of(seed, seed % 2 == 0);
    if (!layer) continue;
    const std::string text = layer->proof.text(layer->text);
    const Checked answer = check(text);
    ASSERT_EQ(answer.verdict, Verdict::Accepted) << answer.line << ": " << answer.what << "\n" << text;
    ASSERT_TRUE(is_true(text)) << text;
    corners += static_cast<int>(layer->proof.corners.size()), ++checked;
    // Each corner moved up or to the right is no bound any more.
    for (std::size_t k = 0; k < layer->proof.corners.size(); ++k)
      for (const bool is_cycles : {false, true}) {
        std::string claim = "claim bound curve";
        for (std::size_t j = 0; j < layer->proof.corners.size(); ++j) {
          Cost c = layer->proof.corners[j];
          if (j == k) c.energy += is_cycles ? 0 : 1, c.cycles += is_cycles ? 1 : 0;
          claim += " " + decimal(check_proof::kCurve, check_proof::value_of(check_proof::kCurve, c));
        }
        ASSERT_EQ(check(layer->proof.text(layer->text, claim)).verdict, Verdict::Rejected) << claim << text;
      }
  }
  EXPECT_GT(checked, 15);
  EXPECT_GT(corners, checked);
}

TEST(CheckProofNetworks, OptimaOfAllChoicesAreAcceptedAndNothingAbove) {
  int checked = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const auto layers = layers_of(seed);
    if (!layers) continue;
    const std::vector<Cost> all = choices({(*layers)[0].costs, (*layers)[1].costs}, kRuns);
    for (const auto o : {check_proof::kEnergy, check_proof::kEdp, check_proof::kEd2p, check_proof::kDelay}) {
      check_proof::Big v = least_of(o, all);
      const std::string name(check_proof::kObjectives[o]);
      const Checked answer = check(network_text(*layers, kRuns, "optimal " + name + " " + decimal(o, v)));
      ASSERT_EQ(answer.verdict, Verdict::Accepted) << answer.line << ": " << answer.what << name;
      check_proof::multiply(v, 1, 1);
      for (const char* kind : {"optimal ", "bound "})
        ASSERT_EQ(check(network_text(*layers, kRuns, kind + name + " " + decimal(o, v))).verdict, Verdict::Rejected);
    }
    ++checked;
  }
  EXPECT_GT(checked, 4);
}

// The proof of a layer's curve as a bound, with the mapping of one corner.
std::string bound_with_mapping(const Layer& layer, std::size_t corner) {
  const std::string& mappings = layer.proof.mapping;
  std::size_t begin = 0;
  for (; corner > 0; --corner) begin = mappings.find("\nmapping ", begin) + 1;
  const std::size_t end = mappings.find("\nmapping ", begin);
  ToyProof proof = layer.proof;
  proof.states = mappings.substr(begin, end == std::string::npos ? end : end + 1 - begin) + proof.states;
  return proof.text(layer.text, "claim bound" + proof.claim.substr(std::string("claim optimal").size()));
}

// Bounds of curves prove an optimum where the mappings that the layers name have it, and no other.
TEST(CheckProofNetworks, TheMappingsThatLayersNameMustHaveTheValue) {
  int accepted = 0, rejected = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const auto layers = layers_of(seed);
    if (!layers) continue;
    const Layer &a = (*layers)[0], &b = (*layers)[1];
    const std::vector<Cost> all = choices({a.costs, b.costs}, kRuns);
    for (const auto o : {check_proof::kEnergy, check_proof::kEdp, check_proof::kDelay}) {
      const check_proof::Big v = least_of(o, all);
      std::string head =
          network_text(*layers, kRuns, "optimal " + std::string(check_proof::kObjectives[o]) + " " + decimal(o, v));
      head.erase(head.find("heliolite-instance"));
      for (std::size_t j = 0; j < a.proof.corners.size(); ++j)
        for (std::size_t k = 0; k < b.proof.corners.size(); ++k) {
          const Cost sum = choices({{a.proof.corners[j]}, {b.proof.corners[k]}}, kRuns).front();
          const Checked answer = check(head + bound_with_mapping(a, j) + bound_with_mapping(b, k));
          const bool has_it = check_proof::value_of(o, sum) == v;
          ASSERT_EQ(answer.verdict, has_it ? Verdict::Accepted : Verdict::Rejected) << answer.what;
          ++(has_it ? accepted : rejected);
        }
      // Without a mapping, or with those of one layer alone, nothing has it.
      const std::string nothing = a.proof.text(a.text, "claim bound" + a.proof.claim.substr(13));
      ASSERT_EQ(check(head + nothing + bound_with_mapping(b, 0)).verdict, Verdict::Rejected);
    }
  }
  EXPECT_GT(accepted, 10);
  EXPECT_GT(rejected, 10);
}

// Lines dropped, doubled, exchanged, digits changed; whole layers dropped, doubled, exchanged. Harmless: what is still
// claimed is true of the layers that are still there.
TEST(CheckProofNetworks, MutantsAreRejectedOrTrue) {
  int rejected = 0, tried = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const auto layers = layers_of(seed);
    if (!layers) continue;
    const std::vector<Cost> all = choices({(*layers)[0].costs, (*layers)[1].costs}, kRuns);
    const std::string claim = "optimal edp " + decimal(check_proof::kEdp, least_of(check_proof::kEdp, all));
    const Layer &a = (*layers)[0], &b = (*layers)[1];
    for (const std::vector<Layer>& other : {std::vector{a}, std::vector{b}, std::vector{a, b, b}, std::vector{b, a}}) {
      const std::string text = network_text(other, kRuns, claim);
      ASSERT_TRUE(check(text).verdict != Verdict::Accepted || (other.size() == 2 && is_true(text))) << text;
    }
    const std::vector<std::string> lines = lines_of(network_text(*layers, kRuns, claim));
    ProofToys random(seed + 1);
    for (int k = 0; k < 20; ++k) {
      std::vector<std::string> mutant = lines;
      const std::size_t at = random.below(k % 3 == 0 ? 4 : lines.size());
      random.change_line(mutant, at);
      const std::string text = random.chance(60) ? with_digests(joined(mutant)) : joined(mutant);
      const bool is_accepted = check(text).verdict == Verdict::Accepted;
      ASSERT_TRUE(!is_accepted || is_true(text)) << text;
      rejected += is_accepted ? 0 : 1, ++tried;
    }
  }
  EXPECT_GT(tried, 100);
  EXPECT_GT(rejected, tried / 2);
}

// Curves of provers whose rules are wrong on purpose.
TEST(CheckProofNetworks, WrongCurvesAreFoundOut) {
  int wrong = 0;
  for (unsigned seed = 0; seed < 20; ++seed)
    for (const ProverBug bug :
         {ProverBug::NoRefunds, ProverBug::PushWithoutRoom, ProverBug::BlindDominance, ProverBug::OneOrder}) {
      const std::optional<Layer> layer = layer_of(seed, false, bug);
      if (!layer) continue;
      const std::string text = layer->proof.text(layer->text);
      const bool is_false = !layer->proof.has_mapping || !is_true(text);
      wrong += is_false ? 1 : 0;
      EXPECT_TRUE(!is_false || check(text).verdict == Verdict::Rejected) << static_cast<int>(bug) << text;
    }
  EXPECT_GT(wrong, 0);
}

// Bytes changed at random in the lines of a network and in its first layer: an answer, always.
TEST(CheckProofNetworks, AnswersToAnyBytes) {
  std::optional<std::vector<Layer>> layers;
  for (unsigned seed = 0; !layers; ++seed) layers = layers_of(seed);
  const std::vector<Cost> all = choices({(*layers)[0].costs, (*layers)[1].costs}, kRuns);
  const std::string text =
      network_text(*layers, kRuns, "optimal edp " + decimal(check_proof::kEdp, least_of(check_proof::kEdp, all)));
  ProofToys random(3);
  for (int k = 0; k < 1500; ++k) {
    std::string mutant = text;
    random.change_bytes(mutant, k % 2 == 0 ? 90 : mutant.size());
    EXPECT_FALSE(check(mutant).what.empty());
  }
}

}  // namespace
}  // namespace heliolite::check_proof_networks_test
