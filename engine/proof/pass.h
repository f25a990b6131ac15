#pragma once
// The pass that finds a proof's states: stage by stage, all extensions of the listed states that nothing closes.
// Parents are extended in parallel and merged in their order, so that the result is the same on any number of threads.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/proof/extend.h"

namespace heliolite::proof {

// How a level of a mapping, or a state's last one, was made.
struct LevelStep {
  u32 unrolling = 0;
  std::vector<std::pair<u8, u16>> loops;  // dimension and digit of the factor, innermost first
  int set = -1;                           // of the servers after it; -1: the outermost level
};

// A whole mapping, from the inside.
struct ProofMapping {
  int root = 0;  // set of servers
  std::vector<LevelStep> levels;
};

struct PassLimits {
  std::function<bool()> over;  // whether time is up, or somebody asked to stop; asked from any thread
  u64 memory_bytes = u64{2} << 30;
  u64 states = 10'000'000;
  int threads = 0;
};

struct PassResult {
  bool complete = false;
  std::string ended;                   // why not, where no mapping is below the claim
  std::optional<ProofMapping> better;  // a mapping that is
  u64 states = 0;
  u64 questions = 0;
};

// Receives the proof's lines in order; false: no more can be taken.
using LineSink = std::function<bool(const std::string&)>;

PassResult run_pass(const Question& question, const Bounds& bounds, const Claim& claim, const PassLimits& limits,
                    const LineSink& sink);

// The mapping step by step. None: it is not legal, by the instance.
std::optional<State> walked(const Question& question, const ProofMapping& mapping);

// Words of lines: an unrolling, loops, servers.
std::string unrolling_text(const Question& question, int level, std::size_t unrolling);
std::string loops_text(const Question& question, const std::vector<std::pair<u8, u16>>& loops);
std::string servers_text(const Question& question, int stage, int set);

}  // namespace heliolite::proof
