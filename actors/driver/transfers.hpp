#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "actors/placements/state_home.hpp"
#include "actors/rounds/members.hpp"
#include "actors/rounds/rounds.hpp"

namespace troupe {

/// A range of the floats of one vector of the state. Positions are in canonical order.
struct VectorPart {
  int vector = 0;
  std::size_t begin = 0;
  std::size_t floats = 0;

  bool operator==(const VectorPart&) const = default;
};

/// Moves vectors between the driver and the state, and texts between the driver and workers, through transfer objects.
/// Vectors are converted between the state's memory layout and canonical order by the model of a worker, usually the
/// first worker. If a function of this class throws, the members are no longer settled.
class Transfers {
 public:
  Transfers(const Members& members, Rounds& rounds, StateHome& home)
      : members_(members), rounds_(rounds), home_(home) {}

  /// Returns a part of a vector of the state, in canonical order.
  /// @param buffer the number of the buffer from which the vector is read
  HeldFloats fetch(const VectorPart& part, int buffer, const Phase& phase);
  /// Returns the first `floats` floats of the weights, in canonical order, from the object store that `worker` uses.
  HeldFloats fetch_weights(int worker, int buffer, std::size_t floats, const Phase& phase);
  /// Writes vectors that are in canonical order into vectors of the state. The same two transfer objects are used for
  /// all vectors. The destructor removes these transfer objects.
  class Writing {
   public:
    /// @param floats the number of floats of a vector in canonical order
    /// @param size the number of floats of the flat vector, including padding
    Writing(Transfers& transfers, std::size_t floats, std::size_t size);
    ~Writing() { transfers_.home_.forget_transfers(); }
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

    /// Calls `fill` to get a vector in canonical order, and writes it into the vector `vector` of the state in
    /// `buffer`.
    void write(const FillFloats& fill, int vector, int buffer, const Phase& phase);

   private:
    Transfers& transfers_;
    std::size_t floats_, size_;
    std::uint64_t from_, flat_;
  };
  /// Tells this object the shape of the state in the generation that has just begun.
  void begin(const StateShape& shape) { shape_ = shape; }
  /// Writes the initial weights, which a worker's model computes, into `buffer`.
  /// @param size the number of floats of the flat vector
  void initialize(std::size_t size, int buffer, const Phase& phase);
  /// Sets the optimizer's vectors in `buffer` to zero.
  void clear(int buffer, const Phase& phase);
  /// Creates a transfer object that contains `text`, calls `use` with its number, and then removes it. While `use`
  /// runs, the workers in `readers` can read the transfer object.
  void lend_text(const std::string& text, const std::vector<int>& readers,
                 const std::function<void(std::uint64_t transfer)>& use, const Phase& phase);
  /// Returns the texts that `worker` keeps as results of functions or of an evaluation.
  /// @param lengths the length of each text in bytes, as the worker's reply has announced it
  std::vector<std::string> fetch_texts(int worker, const std::vector<std::uint64_t>& lengths, const Phase& phase);

 private:
  /// Calls `work`. If `work` throws, marks the members as not settled, and removes all transfer objects.
  template <class Work>
  void guard(Work work);
  /// Returns the worker whose model converts the vector `vector` of the state. A vector that belongs to a shard is
  /// converted by the worker of this shard. Any other vector is converted by the first worker that owes no answer
  /// (`Rounds::owes`).
  int converter(int vector) const;
  /// Has `worker` write a part of a vector of the state into a transfer object, in canonical order. Returns these
  /// floats.
  HeldFloats export_from(int worker, const VectorPart& part, int buffer, const Phase& phase);

  const Members& members_;
  Rounds& rounds_;
  StateHome& home_;
  StateShape shape_;
  std::uint64_t last_ = 0;  ///< the number of the last transfer object
};

}  // namespace troupe
