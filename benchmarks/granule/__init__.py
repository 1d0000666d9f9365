"""Measures the tokenizer of ``mintdim.bpe`` against others. Run by ``granule bench``.

``corpora`` is what is measured, ``metrics`` what is computed, ``baselines`` who else runs,
``clock`` how time and memory are taken, ``compression``, ``encoding`` and ``training`` the
three experiments, ``tables``, ``plots`` and ``readme`` the report.
"""
