"""Functions that are compiled only as parts of others."""
from __future__ import annotations
import copy
from typing import Any
from numba.core import compiler, typing
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, _LowerResult
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering
from numba.core.compiler_lock import global_compiler_lock

class PartLibrary(JITCodeLibrary):
    def _optimize_final_module(self): pass
    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._finalized = True

@register_pass(mutates_CFG=True, analysis_only=False)
class LowerPart(NativeLowering):
    _name = "lower_part"
    def run_pass(self, state):
        codegen = state.targetctx.codegen()
        state.library = PartLibrary(codegen, state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        fndesc, helper, _, env = state['cr']
        key = object()
        state.library.finalize()
        state.targetctx.insert_user_function(key, fndesc, [state.library])
        state['cr'] = _LowerResult(fndesc, helper, cfunc=key, env=env)
        return True

class PartCompiler(compiler.CompilerBase):
    def define_pipelines(self):
        pm = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        pm.passes = [(LowerPart, d) if p is NativeLowering else (p, d) for p, d in pm.passes]
        pm._finalized = False
        pm.finalize()
        return [pm]

class Parts:
    def __init__(self, dispatcher):
        self.d = dispatcher; self.overloads = {}
    def get_call_template(self, args, kws):
        pysig, args = self.d._compiler.fold_argument_types(args, kws)
        args = tuple(args)
        if args not in self.overloads:
            with global_compiler_lock:
                flags = compiler.Flags()
                self.d.targetdescr.options.parse_as_flags(flags, self.d.targetoptions)
                flags.no_cpython_wrapper = True; flags.no_cfunc_wrapper = True
                self.overloads[args] = compiler.compile_extra(self.d.typingctx, self.d.targetctx, self.d.py_func, args=args, return_type=None, flags=flags, locals={}, pipeline_class=PartCompiler)
        name = self.d.py_func.__name__
        sigs = [c.signature for c in self.overloads.values()]
        return typing.make_concrete_template(f"CallTemplate({name})", key=name, signatures=sigs), pysig, args, {}
    def get_overload(self, args):
        return self.overloads[tuple(args)].entry_point
