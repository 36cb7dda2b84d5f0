#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "actors/placements/state_home.hpp"
#include "actors/rounds/members.hpp"
#include "actors/rounds/rounds.hpp"

namespace troupe {

/// A range of the floats of one vector of the state, in canonical order.
struct VectorPart {
  int vector = 0;
  std::size_t begin = 0;
  std::size_t floats = 0;

  bool operator==(const VectorPart&) const = default;
};

/// Moves vectors between the driver and the state, and texts between workers and the driver, through transfer objects.
/// A worker's model converts vectors between the state's layout and canonical order. Usually this is the first worker.
/// After a failure, the members are not settled.
class Transfers {
 public:
  Transfers(const Members& members, Rounds& rounds, StateHome& home)
      : members_(members), rounds_(rounds), home_(home) {}

  /// Returns a part of a vector, in canonical order.
  /// @param buffer the number of the vector's buffer
  HeldFloats fetch(const VectorPart& part, int buffer, const Phase& phase);
  /// Returns the first `floats` floats of the weights, in canonical order, from the store of this worker.
  HeldFloats fetch_weights(int worker, int buffer, std::size_t floats, const Phase& phase);
  /// Writes values that are in canonical order into vectors of the state. One pair of transfer objects is used for all
  /// vectors, and is removed by the destructor.
  class Writing {
   public:
    /// @param floats number of canonical floats
    /// @param size number of floats of the flat vector
    Writing(Transfers& transfers, std::size_t floats, std::size_t size);
    ~Writing() { transfers_.home_.forget_transfers(); }
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

    void write(const FillFloats& fill, int vector, int buffer, const Phase& phase);

   private:
    Transfers& transfers_;
    std::size_t floats_, size_;
    std::uint64_t from_, flat_;
  };
  /// Sets the shape of the state in the generation that has begun.
  void begin(const StateShape& shape) { shape_ = shape; }
  /// Writes a model's initial weights into `buffer`.
  /// @param size number of floats of the flat vector
  void initialize(std::size_t size, int buffer, const Phase& phase);
  /// Sets the optimizer's vectors in `buffer` to zero.
  void clear(int buffer, const Phase& phase);
  /// Calls `use` with the number of a transfer object that contains `text`. While `use` runs, the workers `readers` can
  /// read the object.
  void lend_text(const std::string& text, const std::vector<int>& readers,
                 const std::function<void(std::uint64_t transfer)>& use, const Phase& phase);
  /// Returns the results of functions that a worker has called.
  /// @param lengths the length of each result in bytes, as the worker has announced it
  std::vector<std::string> fetch_texts(int worker, const std::vector<std::uint64_t>& lengths, const Phase& phase);

 private:
  /// Calls `work`. If it throws, marks the members as not settled and removes all transfer objects.
  template <class Work>
  void guard(Work work);
  /// Returns the worker whose model converts this vector. A vector that belongs to a shard is converted by the worker
  /// of the shard. Others are converted by the first worker that owes no answer.
  int converter(int vector) const;
  /// Has `worker` write a part of a vector into a transfer object, in canonical order. Returns the floats.
  HeldFloats export_from(int worker, const VectorPart& part, int buffer, const Phase& phase);

  const Members& members_;
  Rounds& rounds_;
  StateHome& home_;
  StateShape shape_;
  std::uint64_t last_ = 0;  ///< the number of the last transfer
};

}  // namespace troupe
