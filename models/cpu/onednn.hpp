#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/cpu/layout.hpp"
#include "models/cpu/onednn_versions.hpp"
#include "models/cpu/weights_reorder.hpp"
#include "troupe/error.hpp"

namespace troupe::cpu {

/// Temporary memory that several primitives use one after the other. Each primitive reserves the size that it needs
/// before the memory is placed.
class Scratch {
 public:
  /// Increases the size to at least `bytes`.
  void reserve(std::size_t bytes);
  std::size_t bytes() const { return bytes_; }
  /// Makes this object use the memory at `data`. Returns the first address after this memory.
  std::byte* place(std::byte* data);

  void* data() const { return data_; }
  float* floats() const { return reinterpret_cast<float*>(data_); }

 private:
  std::size_t bytes_ = 0;
  std::byte* data_ = nullptr;
};

/// Resources that all primitives of a replica share. Primitives run one after the other, so they can use the same
/// scratch memory.
struct Context {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  Scratch scratchpad;
  Scratch weights;         ///< weights in another layout, for a primitive that cannot read their stored layout
  Scratch input;           ///< input of a layer in another layout, for a primitive that cannot read its stored layout
  Scratch gradient;        ///< gradient of a layer's output, for a primitive that cannot read its stored layout
  Scratch slice;           ///< values between two layers that run slice by slice, or their gradient
  Scratch slice_gradient;  ///< gradient of the weights for one slice, which is added to that of the first slice
  Scratch activations;     ///< activations as floats, for a layer that computes only in floats
  Scratch layer_gradient;  ///< gradient of a layer's weights for a micro-batch, which is added to that of earlier ones
  Scratch winograd;        ///< transformed weights, inputs and outputs of a convolution

  std::size_t bytes();
  void place(std::byte* data);

 private:
  std::array<Scratch*, 9> shared();
};

/// Prevents oneDNN from using AMX if AMX does not work on this machine. Does nothing if the user has set
/// ONEDNN_MAX_CPU_ISA. Must be called before the first use of oneDNN.
/// @throws Error unsupported if oneDNN was used before and would choose AMX.
void keep_to_what_runs();

/// While an object of this class exists, oneDNN uses only the calling thread, because a replica uses one core. The
/// destructor restores the number of OpenMP threads that was set in this thread before.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

/// Returns the attributes with which all primitives are created: the caller provides the scratchpad memory. oneDNN's
/// ReLU is not one of the attributes, because it turns NaN into 0.
dnnl::primitive_attr attributes();

dnnl::memory::data_type type_of(Element element);
dnnl::memory::desc plain_vector(std::int64_t size);
/// Returns the description of a row-major matrix of floats.
dnnl::memory::desc plain_matrix(std::int64_t rows, std::int64_t columns);
/// Returns the description of `batch` images with this layout.
dnnl::memory::desc images(std::int64_t batch, const Layout& layout);
/// Returns the description of a tensor with these extents whose layout oneDNN may choose (format `any`).
dnnl::memory::desc any_layout(const dnnl::memory::dims& extents, Element element = Element::f32);
dnnl::memory::desc any_layout(const dnnl::memory::desc& like, Element element = Element::f32);
/// Returns true if the described tensor contains no padding.
bool is_dense(const dnnl::memory::desc& desc);
/// Returns the number of channels in a block that oneDNN's kernels prefer on this machine: 16 with AVX-512, else 8.
std::int64_t preferred_block();
/// Returns the layout that images have between the layers of a network: blocks of preferred_block() channels.
Layout image_layout(const SampleShape& shape, Element element);
/// Returns true if oneDNN has fast bfloat16 kernels for this machine.
bool has_bf16();

/// A primitive of oneDNN, and the descriptions of its arguments in a fixed order. Each run uses other addresses.
class Primitive {
 public:
  using Arguments = std::vector<std::pair<int, dnnl::memory::desc>>;

  template <class Descriptor>
  Primitive(Context& context, const Descriptor& descriptor, const dnnl::primitive& primitive,
            const Arguments& arguments)
      : Primitive(context, primitive, descriptor.scratchpad_desc(), arguments) {}

  /// Runs the primitive. `addresses` contains one address for each argument, in the order of the arguments.
  void run(std::initializer_list<const void*> addresses);

 private:
  Primitive(Context& context, const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
            const Arguments& arguments);

  Context& context_;
  dnnl::primitive primitive_;
  dnnl::memory scratchpad_;
  std::vector<dnnl::memory> memories_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

/// Converts data, such as weights or a gradient, between the layout in which the data is stored and the layout that a
/// primitive needs. If the layouts are the same, the primitive uses the stored data in place. Otherwise it uses a copy
/// in the memory `between`, which all layers share.
class LayoutPort {
 public:
  LayoutPort(Context& context, Scratch& between, const dnnl::memory::desc& stored, const dnnl::memory::desc& wanted);

  /// Returns an address at which the primitive can read the contents of `data`. This is `data`, or the address of a
  /// converted copy. The copy is valid until another port uses the same shared memory.
  const void* read(const void* data);
  /// Returns the address to which the primitive must write a result that is to be stored at `data`. After the primitive
  /// has run, call `written`.
  void* target(void* data);
  /// Completes `target`: if the primitive has written to the shared memory, converts the result and stores it at
  /// `data`.
  void written(void* data);

 private:
  Context& context_;
  Scratch& between_;
  bool same_;
  dnnl::memory stored_;
  dnnl::memory wanted_;
  std::optional<BlockConversion> conversion_;
  dnnl::reorder from_stored_;
  dnnl::reorder to_stored_;
};

/// Returns true if `implementation` is the name of oneDNN's reference loops, which are a thousand times slower than its
/// other implementations.
inline bool is_reference(std::string_view implementation) { return implementation.starts_with("ref"); }

/// Calls the functions `make` in order until one of them creates a descriptor that does not use oneDNN's slow reference
/// loops, and returns this descriptor. If all use reference loops, returns the last descriptor that was created.
/// @throws Error unsupported if no descriptor can be created.
template <class Descriptor, class... Make>
Descriptor first_fast(const Make&... make) {
  std::optional<Descriptor> found;
  const auto attempt = [&found](const auto& make_one) {
    if (found && !is_reference(found->impl_info_str())) return;
    try {
      found = make_one();
    } catch (const dnnl::error&) {  // thrown by oneDNN if it has no implementation
    }
  };
  (attempt(make), ...);
  if (!found) throw Error(ErrorCode::unsupported, "oneDNN has no primitive for a layer of this network");
  return *found;
}

}  // namespace troupe::cpu
