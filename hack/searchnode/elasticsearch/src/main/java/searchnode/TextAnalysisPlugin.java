package searchnode;

import java.io.IOException;
import java.io.StringReader;
import java.text.ParseException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.es.SpanishAnalyzer;
import org.apache.lucene.analysis.synonym.SolrSynonymParser;
import org.apache.lucene.analysis.synonym.SynonymGraphFilter;
import org.apache.lucene.analysis.synonym.SynonymMap;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.index.IndexSettings;
import org.elasticsearch.index.analysis.AbstractTokenFilterFactory;
import org.elasticsearch.index.analysis.CharFilterFactory;
import org.elasticsearch.index.analysis.CustomAnalyzer;
import org.elasticsearch.index.analysis.PreBuiltAnalyzerProviderFactory;
import org.elasticsearch.index.analysis.TokenFilterFactory;
import org.elasticsearch.index.analysis.TokenizerFactory;
import org.elasticsearch.indices.analysis.AnalysisModule.AnalysisProvider;
import org.elasticsearch.indices.analysis.PreBuiltCacheFactory.CachingStrategy;
import org.elasticsearch.plugins.AnalysisPlugin;
import org.elasticsearch.plugins.Plugin;

/**
 * The few parts of the analysis-common module that our tests and the demo use. The module itself is
 * not published; Lucene, which does the work, is.
 */
public final class TextAnalysisPlugin extends Plugin implements AnalysisPlugin {

    @Override
    public List<PreBuiltAnalyzerProviderFactory> getPreBuiltAnalyzerProviderFactories() {
        return List.of(
            new PreBuiltAnalyzerProviderFactory("english", CachingStrategy.LUCENE, EnglishAnalyzer::new),
            new PreBuiltAnalyzerProviderFactory("spanish", CachingStrategy.LUCENE, SpanishAnalyzer::new)
        );
    }

    @Override
    public Map<String, AnalysisProvider<TokenFilterFactory>> getTokenFilters() {
        AnalysisProvider<TokenFilterFactory> synonyms = AnalysisPlugin.requiresAnalysisSettings(
            (index, environment, name, settings) -> new Synonyms(index, name, settings)
        );
        return Map.of("synonym", synonyms, "synonym_graph", synonyms);
    }

    /** Inline synonyms in Solr's notation: the setting {@code synonyms}, and no other. */
    private static final class Synonyms extends AbstractTokenFilterFactory {
        private final IndexSettings index;
        private final Settings settings;

        Synonyms(IndexSettings index, String name, Settings settings) {
            super(index, name, settings);
            this.index = index;
            this.settings = settings;
        }

        @Override
        public TokenStream create(TokenStream tokens) {
            throw new IllegalStateException("Synonyms need to know the filters before them");
        }

        /** Synonyms go through the tokenizer and filters before this one, as the text does. */
        @Override
        public TokenFilterFactory getChainAwareTokenFilterFactory(
            TokenizerFactory tokenizer,
            List<CharFilterFactory> charFilters,
            List<TokenFilterFactory> previous,
            Function<String, TokenFilterFactory> all
        ) {
            SynonymMap map = parse(
                new CustomAnalyzer(
                    tokenizer,
                    charFilters.toArray(CharFilterFactory[]::new),
                    previous.toArray(TokenFilterFactory[]::new)
                )
            );
            return new AbstractTokenFilterFactory(index, name(), settings) {
                @Override
                public TokenStream create(TokenStream tokens) {
                    return map.fst == null ? tokens : new SynonymGraphFilter(tokens, map, false);
                }
            };
        }

        private SynonymMap parse(Analyzer analyzer) {
            SolrSynonymParser parser = new SolrSynonymParser(true, true, analyzer);
            try {
                parser.parse(new StringReader(String.join("\n", settings.getAsList("synonyms"))));
                return parser.build();
            } catch (IOException | ParseException e) {
                throw new IllegalArgumentException("The synonyms of filter [" + name() + "] cannot be read", e);
            }
        }
    }
}
