#pragma once
// The legal groups next to those of a schedule (group_moves.h), with what can be said of them before their links are
// mapped. A search that goes from schedule to schedule asks for them at each step, and most groups stay as they are.
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "engine/network/fused_schedule.h"
#include "engine/search/fused/group_looks.h"
#include "engine/search/fused/group_moves.h"

namespace heliolite {

// A group that has been looked at.
struct KnownGroup {
  GroupLook look;
  double bound = kNoSum;  // what its passes must move, and its terms, of all repetitions
  bool priced = false;
};

// Groups in the place of one group, or of two, all of them legal.
struct Neighbour {
  std::vector<LinkGroup> groups;
  std::vector<KnownGroup*> known{};  // [group]
};

class GroupNeighbours {
 public:
  // All but lambda must outlive it. Once `is_over` says so lists end where they are.
  GroupNeighbours(const LinkGraph& graph, GroupLooks& looks, const std::vector<int>& fusing_levels, double lambda,
                  int threads, std::function<bool()> is_over);

  enum class Kind : u8 {
    Changed,           // one change of the group's tree
    Elsewhere,         // the group cut in two, or at another level
    Merged,            // the group and the next one as one, or their border elsewhere
    MergedBeneathTwo,  // two links alone as one group beneath two loops
  };
  struct Question {
    Kind kind;
    const LinkGroup* group;
    const LinkGroup* next = nullptr;
  };
  // Lists by question.
  using Lists = std::map<std::vector<u64>, std::vector<Neighbour>>;

  // [question]: the list, in a fixed order. `remembered` has the lists of the questions that were asked with it before;
  // after that it has those of these questions.
  std::vector<std::vector<Neighbour>*> of(std::span<const Question> questions, Lists& remembered);
  KnownGroup& known(const LinkGroup& group);

 private:
  std::vector<Neighbour> list(const Question& question);
  void move_border(const LinkGroup& before, const LinkGroup& after, std::vector<Neighbour>& out);
  void look_at(std::span<std::vector<Neighbour>* const> lists);
  KnownGroup& keep(std::vector<u64> key, const LinkGroup& group, const GroupLook& look);

  const LinkGraph& graph_;
  GroupLooks& looks_;
  const std::vector<int>& fusing_levels_;
  double lambda_;
  int threads_;
  std::function<bool()> is_over_;
  GroupMoves moves_;
  std::map<std::vector<u64>, KnownGroup> known_;
};

}  // namespace heliolite
