#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "actors/placements/state_home.hpp"
#include "actors/rounds/members.hpp"
#include "actors/rounds/rounds.hpp"

namespace troupe {

/// A range of canonical floats of a vector of the state.
struct VectorPart {
  int vector = 0;
  std::size_t begin = 0;
  std::size_t floats = 0;

  bool operator==(const VectorPart&) const = default;
};

/// Moves vectors between the driver and the state, and texts between workers and the driver, through transfer objects.
/// A worker's model converts between the state's layout and canonical order; usually this is the first worker. After a
/// failure, members are not settled.
class Transfers {
 public:
  Transfers(const Members& members, Rounds& rounds, StateHome& home)
      : members_(members), rounds_(rounds), home_(home) {}

  /// Fetches a part of a vector in canonical order.
  HeldFloats fetch(const VectorPart& part, int buffer, const Phase& phase);
  /// Fetches the weights from the store of this worker.
  HeldFloats fetch_weights(int worker, int buffer, std::size_t floats, const Phase& phase);
  /// Writes canonical values into vectors of the state. One pair of transfer objects is used for all vectors, and is
  /// removed by the destructor.
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
  /// Initializes the state's weights with a model.
  void initialize(std::size_t size, int buffer, const Phase& phase);
  void clear(int buffer, const Phase& phase);
  /// Lets these workers read a text while `use` runs. `use` receives the transfer's number.
  void lend_text(const std::string& text, const std::vector<int>& readers,
                 const std::function<void(std::uint64_t transfer)>& use, const Phase& phase);
  /// Fetches the results of functions on a worker. `lengths` are the lengths that the worker has announced.
  std::vector<std::string> fetch_texts(int worker, const std::vector<std::uint64_t>& lengths, const Phase& phase);

 private:
  template <class Work>
  void guard(Work work);
  /// The worker with the model that converts this vector.
  int converter(int vector) const;
  HeldFloats export_from(int worker, const VectorPart& part, int buffer, const Phase& phase);

  const Members& members_;
  Rounds& rounds_;
  StateHome& home_;
  StateShape shape_;
  std::uint64_t last_ = 0;  ///< the number of the last transfer
};

}  // namespace troupe
