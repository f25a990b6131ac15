#pragma once
// The dataflow of an affine program: which instance, or which word of the input, each instance has its operands from.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/program/affine_program.h"

namespace heliolite {

// Statements that go on with their own last value: C[i][j] += ..

// Where one read has its values from.
struct ReadFlow {
  int array = 0;
  std::vector<std::pair<int, isl::map>> from;  // (statement, { its instance -> reading instance })
  isl::map input;                              // { element of the program's input -> reading instance }
  isl::map element;                            // { instance -> element }
};

struct StatementChain {
  isl::map key;            // { S[i] -> [outer loops.., f(i)] } (Reduction)
  std::vector<int> loops;  // that the key does not depend on
  isl::map companions;     // { first instance of a chain -> every instance of the chain }
};

// The chains of statement `index`, whose read of the element it writes has the flow `flow`; nothing where instances
// with the same key are not one chain.
std::optional<StatementChain> find_chain(const ProgramStatement& s, int index, const isl::set& domain,
                                         const ReadFlow& flow);

// A statement with its instances, or an array with those elements that are read before anything is written to them:
// the program's inputs.
struct DataflowNode {
  bool is_input = false;
  int index = 0;  // of the statement, or of the array
  std::string name;
  isl::set domain;
};

enum class EdgeKind {
  flow,       // an operand: the target instance uses the value of the source
  chain,      // the same, of a statement that goes on with its own last value: C[i][j] += ..
  broadcast,  // no operand: from what a chain began with to every instance of the chain (Reduction)
};

// One basic map (a conjunction without alternatives), after coalescing. `flow` and `chain` edges together are exactly
// the operands; each target instance has one source for each of its reads.
struct DataflowEdge {
  int source = 0;     // node
  int target = 0;     // node of a statement
  isl::map relation;  // { source instance or element -> target instance }
  EdgeKind kind = EdgeKind::flow;
  int array = 0;  // through whose elements
  int reduction =
      -1;  // index into DataflowGraph::reductions: `chain`, `broadcast`, and `flow` into what begins a chain
};

// A statement whose instances form chains: instances that agree in `key` are computed one after another, each from the
// value of the one before; the first of them starts from an instance of another statement or an input.
// Of every chain that a set P of instances touches, the first touched instance has its operand outside of P: so
// |key(P)| is at most the number of words that P takes from outside through this reduction's `chain` and `flow` edges.
// That is what the `broadcast` edges stand for: their inverse is the key, which drops all reduced loops, also where the
// chain, step by step, is no translation. The words themselves are sources of the chain and flow edges, not only those
// of the broadcast: who asks whether two paths share words has to look at all of them.
struct Reduction {
  int statement = 0;
  int array = 0;
  isl::map key;            // { S[i] -> [outer loops.., f(i)] } on the statement's instances
  std::vector<int> loops;  // the statement's loops that the key does not depend on
  bool compound = false;   // by +=, -=, *= or /=: the order of the chain is a choice of the text
};

struct DataflowGraph {
  std::vector<DataflowNode> nodes;  // the statements in their order, then the arrays that have inputs
  std::vector<DataflowEdge> edges;
  std::vector<Reduction> reductions;

  int statement_node(int statement) const { return statement; }
  int input_node(int array) const;  // -1: nothing of it is read before it is written
};

// Exact, for all parameter values in program.assumed. Complains about programs that need too many steps.
Result<DataflowGraph> dataflow(const AffineProgram& program);

}  // namespace heliolite
